{{/*
The default backend's container. Sluice's own image takes the port as an argument; another image
gets its arguments alone.
*/}}
{{- define "sluice.container.defaultBackend" -}}
{{- $backend := .Values.defaultBackend -}}
- name: {{ include "sluice.name" . }}-default-backend
  image: {{ include "sluice.defaultBackend.image" . }}
  imagePullPolicy: {{ $backend.image.pullPolicy }}
  {{- if include "sluice.defaultBackend.ownImage" . }}
  {{- with $backend.extraArgs }}
  args:
    {{- include "sluice.extraArguments" . | trim | nindent 4 }}
  {{- end }}
  {{- else }}
  command:
    - /default-backend
  args:
    - --port={{ include "sluice.scalar" $backend.port }}
    {{- with include "sluice.extraArguments" $backend.extraArgs | trim }}
    {{- . | nindent 4 }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- include "sluice.defaultBackend.securityContext" . | nindent 4 }}
  {{- with $backend.extraEnvs }}
  env:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- range $name, $numbers := dict "livenessProbe" $backend.livenessProbe "readinessProbe" $backend.readinessProbe }}
  {{- if $numbers }}
  {{ $name }}:
    httpGet:
      path: /healthz
      port: {{ include "sluice.scalar" $backend.port }}
      scheme: HTTP
    {{- toYaml $numbers | nindent 4 }}
  {{- end }}
  {{- end }}
  ports:
    - name: http
      containerPort: {{ include "sluice.scalar" $backend.port }}
      protocol: TCP
  {{- with $backend.extraVolumeMounts }}
  volumeMounts:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $backend.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "sluice.defaultBackend.securityContext" -}}
{{- $image := .Values.defaultBackend.image -}}
{{- if .Values.defaultBackend.containerSecurityContext -}}
{{- toYaml .Values.defaultBackend.containerSecurityContext -}}
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
readOnlyRootFilesystem: {{ $image.readOnlyRootFilesystem }}
{{- end -}}
{{- end -}}
