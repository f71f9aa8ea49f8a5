{{/*
The containers of the controller's Pod. The image's entry point passes the capability
NET_BIND_SERVICE on to the programs it starts. In a container without that capability it would fail,
so there the command names the init program directly.
*/}}

{{/* The security context that the chart computes, unless the values have one. */}}
{{- define "sluice.container.securityContext" -}}
{{- $image := .Values.controller.image -}}
{{- if .Values.controller.containerSecurityContext -}}
{{- toYaml .Values.controller.containerSecurityContext -}}
{{- else -}}
runAsNonRoot: {{ $image.runAsNonRoot }}
runAsUser: {{ $image.runAsUser }}
runAsGroup: {{ $image.runAsGroup }}
allowPrivilegeEscalation: {{ $image.allowPrivilegeEscalation }}
{{- with $image.seccompProfile }}
seccompProfile:
  {{- toYaml . | nindent 2 }}
{{- end }}
capabilities:
  drop:
    - ALL
  {{- if not (include "sluice.portSysctl" .) }}
  add:
    - NET_BIND_SERVICE
  {{- end }}
readOnlyRootFilesystem: {{ $image.readOnlyRootFilesystem }}
{{- end -}}
{{- end -}}

{{/*
"true" if the container has NET_BIND_SERVICE: its security context adds it, or a user's context
drops nothing.
*/}}
{{- define "sluice.container.mayBind" -}}
{{- $capabilities := default dict (include "sluice.container.securityContext" . | fromYaml).capabilities -}}
{{- $add := default list $capabilities.add -}}
{{- $dropped := has "ALL" (default list $capabilities.drop) -}}
{{- if or (not $dropped) (has "NET_BIND_SERVICE" $add) (has "ALL" $add) -}}true{{- end -}}
{{- end -}}

{{- define "sluice.container.controller" -}}
{{- $controller := .Values.controller -}}
- name: {{ $controller.containerName }}
  image: {{ include "sluice.controller.image" . }}
  imagePullPolicy: {{ $controller.image.pullPolicy }}
  {{- with $controller.lifecycle }}
  lifecycle:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if not (include "sluice.container.mayBind" .) }}
  command:
    - /sluice-init
  {{- end }}
  args:
    {{- include "sluice.arguments" . | nindent 4 }}
  securityContext:
    {{- include "sluice.container.securityContext" . | nindent 4 }}
  env:
    {{- include "sluice.environment" . | nindent 4 }}
  {{- with $controller.startupProbe }}
  startupProbe:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $controller.livenessProbe }}
  livenessProbe:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $controller.readinessProbe }}
  readinessProbe:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  ports:
    {{- if not (include "sluice.nginxContainer" .) }}
    {{- include "sluice.ports.traffic" . | trim | nindent 4 }}
    {{- end }}
    {{- include "sluice.ports.controller" . | trim | nindent 4 }}
  volumeMounts:
    {{- include "sluice.mounts.shared" (list . "sluice-tmp") | trim | nindent 4 }}
    {{- if and (include "sluice.nginxContainer" .) (include "sluice.holdsToken" .) }}
    - name: sluice-api-token
      mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      readOnly: true
    {{- end }}
    {{- if $controller.customTemplate.configMapName }}
    - name: nginx-template-volume
      mountPath: /etc/nginx/template
      readOnly: true
    {{- end }}
    {{- if include "sluice.admission.certificateFiles" . }}
    - name: webhook-cert
      mountPath: /usr/local/certificates/
      readOnly: true
    {{- end }}
  {{- if semverCompare ">=1.33.0-0" .Capabilities.KubeVersion.Version }}
  {{- with $controller.resizePolicy }}
  resizePolicy:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- with include "sluice.container.resources" (list . $controller.resources) }}
  resources:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/*
The container that runs only nginx. The controller sends it configurations through a socket in the
shared folder. It has no token.
*/}}
{{- define "sluice.container.nginx" -}}
{{- $controller := .Values.controller -}}
- name: nginx
  image: {{ include "sluice.controller.image" . }}
  imagePullPolicy: {{ $controller.image.pullPolicy }}
  {{- with $controller.lifecycle }}
  lifecycle:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if not (include "sluice.container.mayBind" .) }}
  command:
    - /sluice-init
  {{- end }}
  args:
    - /sluice-nginx
    - --nginx-socket=/run/sluice/sockets/nginx.sock
    {{- with include "sluice.arguments.grace" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with include "sluice.extraArguments" (pick (default dict $controller.extraArgs) "shutdown-grace-period" "stream-port" "v") | trim }}
    {{- . | nindent 4 }}
    {{- end }}
  securityContext:
    {{- include "sluice.container.securityContext" . | nindent 4 }}
  env:
    {{- include "sluice.environment" . | nindent 4 }}
  ports:
    {{- include "sluice.ports.traffic" . | trim | nindent 4 }}
  volumeMounts:
    {{- include "sluice.mounts.shared" (list . "sluice-nginx-tmp") | trim | nindent 4 }}
  {{- with include "sluice.container.resources" (list . (include "sluice.own" . | fromJson).nginxContainer.resources) }}
  resources:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/*
Resources of a container. sluice.memoryLimit is added if they set no memory except the default
request. A request of another size may be above that limit, and the API server would refuse the
Pod. Takes a list: root, resources.
*/}}
{{- define "sluice.container.resources" -}}
{{- $resources := deepCopy (default dict (index . 1)) -}}
{{- $limit := (include "sluice.own" (index . 0) | fromJson).memoryLimit -}}
{{- $requested := toString (default "90Mi" (default dict $resources.requests).memory) -}}
{{- if and $limit (eq $requested "90Mi") (not (hasKey (default dict $resources.limits) "memory")) -}}
{{- $_ := set $resources "limits" (set (default dict $resources.limits) "memory" $limit) -}}
{{- end -}}
{{- if $resources -}}{{- toYaml $resources -}}{{- end -}}
{{- end -}}

{{- define "sluice.environment" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- with .Values.controller.extraEnvs }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
The mounts of both containers. A container may have one mount at a path, so a volume of the values
takes the place of the chart's own. Takes a list: root, the volume for /tmp.
*/}}
{{- define "sluice.mounts.shared" -}}
{{- $root := index . 0 -}}
{{- $taken := list -}}
{{- range $root.Values.controller.extraVolumeMounts }}{{ $taken = append $taken (trimSuffix "/" (toString .mountPath)) }}{{ end -}}
{{- $names := list "sluice-run" "sluice-ingress-controller" "sluice-log" (index . 1) -}}
{{- range $at, $path := list "/run/sluice" "/etc/ingress-controller" "/var/log" "/tmp" -}}
{{- if not (has $path $taken) }}
- name: {{ index $names $at }}
  mountPath: {{ $path }}
{{- end -}}
{{- end -}}
{{- if $root.Values.controller.extraModules }}
- name: modules
  mountPath: /modules_mount
{{- end }}
{{- with $root.Values.controller.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Name of a TCP or UDP port. Takes a list: the root, the port, the protocol. */}}
{{- define "sluice.portName" -}}
{{- $name := printf "%s-%s" (index . 1) (index . 2) -}}
{{- with (index . 0).Values.portNamePrefix -}}{{ . }}-{{- end -}}{{- $name -}}
{{- end -}}

{{- define "sluice.ports.traffic" -}}
{{- $controller := .Values.controller -}}
{{- range $name, $port := $controller.containerPort }}
- name: {{ $name }}
  containerPort: {{ include "sluice.scalar" $port }}
  protocol: TCP
  {{- if $controller.hostPort.enabled }}
  hostPort: {{ include "sluice.scalar" (default $port (get $controller.hostPort.ports $name)) }}
  {{- end }}
{{- end }}
{{- if (include "sluice.own" . | fromJson).http3 }}
- name: http3
  containerPort: {{ include "sluice.scalar" $controller.containerPort.https }}
  protocol: UDP
  {{- if $controller.hostPort.enabled }}
  hostPort: {{ include "sluice.scalar" (default $controller.containerPort.https (get $controller.hostPort.ports "https")) }}
  {{- end }}
{{- end }}
{{- range $protocol, $ports := dict "tcp" .Values.tcp "udp" .Values.udp }}
{{- range $port, $_ := $ports }}
- name: {{ include "sluice.portName" (list $ $port $protocol) }}
  containerPort: {{ $port }}
  protocol: {{ upper $protocol }}
  {{- if $controller.hostPort.enabled }}
  hostPort: {{ $port }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "sluice.ports.controller" -}}
{{- if .Values.controller.metrics.enabled }}
- name: {{ .Values.controller.metrics.portName }}
  containerPort: {{ include "sluice.scalar" .Values.controller.metrics.port }}
  protocol: TCP
{{- end }}
{{- if .Values.controller.admissionWebhooks.enabled }}
- name: webhook
  containerPort: {{ include "sluice.scalar" .Values.controller.admissionWebhooks.port }}
  protocol: TCP
{{- end }}
{{- end -}}

{{/*
Copies one nginx module into the shared volume. Takes a list: the root, the entry of
controller.extraModules.
*/}}
{{- define "sluice.module" -}}
{{- $root := index . 0 -}}
{{- $module := index . 1 -}}
- name: {{ $module.name }}
  {{- if kindIs "map" $module.image }}
  image: {{ include "sluice.image.join" (dict "root" $root "image" $module.image "path" (default "" $module.image.image) "repository" $module.image.repository "tag" (default "latest" $module.image.tag) "digest" $module.image.digest) }}
  {{- else }}
  image: {{ $module.image }}
  {{- end }}
  command:
    {{- if or $module.distroless (and (kindIs "map" $module.image) $module.image.distroless) }}
    - /init_module
    {{- else }}
    - sh
    - -c
    - /usr/local/bin/init_module.sh
    {{- end }}
  {{- with $module.containerSecurityContext }}
  securityContext:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $module.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  volumeMounts:
    - name: modules
      mountPath: /modules_mount
{{- end -}}
