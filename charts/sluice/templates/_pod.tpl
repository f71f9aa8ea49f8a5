{{/* The controller's Pod: the same for a Deployment and a DaemonSet. */}}

{{- define "sluice.pod" -}}
{{- $controller := .Values.controller -}}
metadata:
  {{- with $controller.podAnnotations }}
  annotations:
    {{- include "sluice.texts" . | trim | nindent 4 }}
  {{- end }}
  labels:
    {{- include "sluice.podLabels" (list . $controller.labels $controller.podLabels (include "sluice.controller.selector" . | fromYaml)) | nindent 4 }}
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "sluice.pod.scheduling" (dict "root" . "from" $controller) | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with $controller.dnsConfig }}
  dnsConfig:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  dnsPolicy: {{ $controller.dnsPolicy }}
  {{- with $controller.hostAliases }}
  hostAliases:
    {{- include "sluice.templated" (list $ .) | nindent 4 }}
  {{- end }}
  {{- with $controller.hostname }}
  hostname: {{ toYaml . }}
  {{- end }}
  {{- if $controller.hostNetwork }}
  hostNetwork: {{ $controller.hostNetwork }}
  {{- end }}
  {{- if $controller.shareProcessNamespace }}
  shareProcessNamespace: {{ $controller.shareProcessNamespace }}
  {{- end }}
  {{- with include "sluice.pod.securityContext" . }}
  securityContext:
    {{- . | nindent 4 }}
  {{- end }}
  {{- if or $controller.extraInitContainers $controller.extraModules }}
  initContainers:
    {{- with $controller.extraInitContainers }}
    {{- include "sluice.templated" (list $ .) | nindent 4 }}
    {{- end }}
    {{- range $controller.extraModules }}
    {{- include "sluice.module" (list $ .) | nindent 4 }}
    {{- end }}
  {{- end }}
  containers:
    {{- include "sluice.container.controller" . | nindent 4 }}
    {{- if include "sluice.nginxContainer" . }}
    {{- include "sluice.container.nginx" . | nindent 4 }}
    {{- end }}
    {{- with $controller.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  serviceAccountName: {{ include "sluice.controller.serviceAccount" . }}
  automountServiceAccountToken: {{ and (include "sluice.holdsToken" .) (not (include "sluice.nginxContainer" .)) | not | not }}
  terminationGracePeriodSeconds: {{ $controller.terminationGracePeriodSeconds }}
  volumes:
    {{- include "sluice.volumes" . | nindent 4 }}
{{- end -}}

{{/*
Where Pods may run. Takes a dict: root, from (values of the controller or of the default backend).
*/}}
{{- define "sluice.pod.scheduling" -}}
{{- with .from.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .from.runtimeClassName }}
runtimeClassName: {{ . | quote }}
{{- end }}
{{- with .from.nodeSelector }}
nodeSelector:
  {{- include "sluice.texts" . | trim | nindent 2 }}
{{- end }}
{{- with .from.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .from.affinity }}
affinity:
  {{- include "sluice.templated" (list $.root .) | nindent 2 }}
{{- end }}
{{- with .from.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- include "sluice.templated" (list $.root .) | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
The Pod's security context, with the sysctl that opens ports below 1024 to every process in the
Pod's own network.
*/}}
{{- define "sluice.pod.securityContext" -}}
{{- $context := deepCopy (default dict .Values.controller.podSecurityContext) -}}
{{- $sysctls := dict -}}
{{- if include "sluice.portSysctl" . -}}
{{- $_ := set $sysctls "net.ipv4.ip_unprivileged_port_start" "0" -}}
{{- end -}}
{{- range $context.sysctls -}}
{{- $_ := set $sysctls .name .value -}}
{{- end -}}
{{- range $name, $value := .Values.controller.sysctls -}}
{{- $_ := set $sysctls $name (include "sluice.scalar" $value) -}}
{{- end -}}
{{- if $sysctls -}}
{{- $list := list -}}
{{- range $name, $value := $sysctls -}}
{{- $list = append $list (dict "name" $name "value" $value) -}}
{{- end -}}
{{- $_ := set $context "sysctls" $list -}}
{{- end -}}
{{- if $context -}}{{- toYaml $context -}}{{- end -}}
{{- end -}}

{{/* A Pod on the node's network must not set sysctls of that network. */}}
{{- define "sluice.portSysctl" -}}
{{- $allowed := ne (toJson (include "sluice.own" . | fromJson).unprivilegedPortSysctl) "false" -}}
{{- if and $allowed (not .Values.controller.hostNetwork) -}}true{{- end -}}
{{- end -}}

{{/*
The names of the chart's own volumes begin with sluice-, because the values may have one called tmp.
*/}}
{{- define "sluice.volumes" -}}
{{- $controller := .Values.controller -}}
- name: sluice-run
  {{- if (include "sluice.own" . | fromJson).runInMemory }}
  emptyDir:
    medium: Memory
  {{- else }}
  emptyDir: {}
  {{- end }}
- name: sluice-tmp
  emptyDir: {}
- name: sluice-log
  emptyDir: {}
- name: sluice-ingress-controller
  emptyDir: {}
{{- if include "sluice.nginxContainer" . }}
- name: sluice-nginx-tmp
  emptyDir: {}
{{- if include "sluice.holdsToken" . }}
- name: sluice-api-token
  projected:
    sources:
      - serviceAccountToken:
          expirationSeconds: 3607
          path: token
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- end }}
{{- end }}
{{- if $controller.customTemplate.configMapName }}
- name: nginx-template-volume
  configMap:
    name: {{ $controller.customTemplate.configMapName }}
    items:
      - key: {{ $controller.customTemplate.configMapKey }}
        path: nginx.tmpl
{{- end }}
{{- if $controller.extraModules }}
- name: modules
  emptyDir: {}
{{- end }}
{{- if include "sluice.admission.certificateFiles" . }}
- name: webhook-cert
  secret:
    secretName: {{ include "sluice.admission.fullname" . }}
    {{- if $controller.admissionWebhooks.certManager.enabled }}
    items:
      - key: tls.crt
        path: cert
      - key: tls.key
        path: key
    {{- end }}
{{- end }}
{{- with $controller.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
