{{/* "true" if the internal Service is made. */}}
{{- define "sluice.internalService" -}}
{{- $service := .Values.controller.service -}}
{{- if and $service.enabled $service.internal.enabled $service.internal.annotations -}}true{{- end -}}
{{- end -}}

{{/*
A Service in front of nginx. Takes a dict: root, from (values of this Service), type, ports and
targetPorts (http and https, which the caller computes).
*/}}
{{- define "sluice.service.traffic" -}}
{{- $service := .root.Values.controller.service -}}
{{- $nodePorts := default dict .from.nodePorts -}}
{{- $takesNodePorts := has .type (list "NodePort" "LoadBalancer") -}}
type: {{ .type }}
{{- include "sluice.service.fields" .from }}
{{- if and .from.trafficDistribution (semverCompare ">=1.31.0-0" .root.Capabilities.KubeVersion.Version) }}
trafficDistribution: {{ .from.trafficDistribution }}
{{- end }}
ports:
  {{- range $name, $enabled := dict "http" $service.enableHttp "https" $service.enableHttps }}
  {{- if $enabled }}
  - name: {{ $name }}
    port: {{ include "sluice.scalar" (get $.ports $name) }}
    protocol: TCP
    targetPort: {{ include "sluice.scalar" (get $.targetPorts $name) }}
    {{- if $.from.appProtocol }}
    appProtocol: {{ $name }}
    {{- end }}
    {{- if and $takesNodePorts (get $nodePorts $name) }}
    nodePort: {{ include "sluice.scalar" (get $nodePorts $name) }}
    {{- end }}
  {{- end }}
  {{- end }}
  {{- if and (include "sluice.own" .root | fromJson).http3 $service.enableHttps }}
  - name: http3
    port: {{ include "sluice.scalar" .ports.https }}
    protocol: UDP
    targetPort: http3
    {{- if and $takesNodePorts $nodePorts.https }}
    nodePort: {{ include "sluice.scalar" $nodePorts.https }}
    {{- end }}
  {{- end }}
  {{- range $protocol, $ports := dict "tcp" .root.Values.tcp "udp" .root.Values.udp }}
  {{- range $port, $_ := $ports }}
  {{- $name := include "sluice.portName" (list $.root $port $protocol) }}
  - name: {{ $name }}
    port: {{ $port }}
    protocol: {{ upper $protocol }}
    targetPort: {{ $name }}
    {{- $nodePort := get (default dict (get $nodePorts $protocol)) $port }}
    {{- if and $takesNodePorts $nodePort }}
    nodePort: {{ include "sluice.scalar" $nodePort }}
    {{- end }}
  {{- end }}
  {{- end }}
selector:
  {{- include "sluice.controller.selector" .root | nindent 2 }}
{{- end -}}

{{/*
Fields of a Service spec that are copied when they are not empty. Takes the values of the Service.
*/}}
{{- define "sluice.service.fields" -}}
{{- range $field := list "clusterIP" "loadBalancerIP" "loadBalancerClass" "externalTrafficPolicy" "sessionAffinity" "ipFamilyPolicy" }}
{{- with get $ $field }}
{{ $field }}: {{ . }}
{{- end }}
{{- end }}
{{- range $field := list "clusterIPs" "externalIPs" "loadBalancerSourceRanges" "ipFamilies" }}
{{- with get $ $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with get $ "healthCheckNodePort" }}
healthCheckNodePort: {{ include "sluice.scalar" . }}
{{- end }}
{{- if and (hasKey $ "allocateLoadBalancerNodePorts") (not (kindIs "invalid" (get $ "allocateLoadBalancerNodePorts"))) }}
allocateLoadBalancerNodePorts: {{ include "sluice.scalar" (get $ "allocateLoadBalancerNodePorts") }}
{{- end }}
{{- end -}}
