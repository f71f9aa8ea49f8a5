{{/*
The controller's arguments: ingress-nginx's flags, unchanged. The first one is the program, so that
a Pod written for ingress-nginx starts Sluice when only its image is changed. Flags that only Sluice
has are added for values that only Sluice has, and for the webhook's certificate.
*/}}

{{/* "true" if the controller makes the webhook's certificate itself, "" if it reads files. */}}
{{- define "sluice.admission.ownCertificate" -}}
{{- $webhook := .Values.controller.admissionWebhooks -}}
{{- if and $webhook.enabled $webhook.patch.enabled (not $webhook.certManager.enabled) -}}true{{- end -}}
{{- end -}}

{{- define "sluice.admission.certificateFiles" -}}
{{- if and .Values.controller.admissionWebhooks.enabled (not (include "sluice.admission.ownCertificate" .)) -}}true{{- end -}}
{{- end -}}

{{- define "sluice.electionId" -}}
{{- default (printf "%s-leader" (include "sluice.fullname" .)) .Values.controller.electionID -}}
{{- end -}}

{{/* The Service whose addresses become the status of Ingresses; empty for none. */}}
{{- define "sluice.publishService" -}}
{{- $service := .Values.controller.service -}}
{{- if and .Values.controller.publishService.enabled $service.enabled -}}
{{- if .Values.controller.publishService.pathOverride -}}
{{- .Values.controller.publishService.pathOverride -}}
{{- else if $service.external.enabled -}}
$(POD_NAMESPACE)/{{ include "sluice.controller.fullname" . }}
{{- else if include "sluice.internalService" . -}}
$(POD_NAMESPACE)/{{ include "sluice.controller.fullname" . }}-internal
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The seconds between SIGTERM and the closing of nginx's listeners. A Pod with a short termination
grace period needs half of that for requests in flight.
*/}}
{{- define "sluice.grace" -}}
{{- $controller := .Values.controller -}}
{{- $extra := default dict $controller.extraArgs -}}
{{- $seconds := int64 (default 0 (include "sluice.own" . | fromJson).shutdownGracePeriod) -}}
{{- $longest := $controller.terminationGracePeriodSeconds -}}
{{- if hasKey $extra "shutdown-grace-period" -}}
{{- $seconds = index $extra "shutdown-grace-period" -}}
{{- else if not (or (kindIs "invalid" $longest) (eq (toString $longest) "")) -}}
{{- $seconds = min $seconds (div (int64 $longest) 2) -}}
{{- end -}}
{{- $seconds -}}
{{- end -}}

{{/* The flag for these seconds; empty if extraArgs have it. */}}
{{- define "sluice.arguments.grace" -}}
{{- if not (hasKey (default dict .Values.controller.extraArgs) "shutdown-grace-period") }}
- --shutdown-grace-period={{ include "sluice.grace" . }}
{{- end -}}
{{- end -}}

{{/* --key=value for every entry, --key if the value is empty. */}}
{{- define "sluice.extraArguments" -}}
{{- range $key, $value := . }}
{{- $text := "" }}
{{- if not (kindIs "invalid" $value) }}{{ $text = include "sluice.scalar" $value }}{{ end }}
- --{{ $key }}{{ if $text }}={{ $text }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "sluice.arguments" -}}
{{- $controller := .Values.controller -}}
{{- $configMapNamespace := default "$(POD_NAMESPACE)" $controller.configMapNamespace -}}
- /nginx-ingress-controller
{{- if .Values.defaultBackend.enabled }}
- --default-backend-service=$(POD_NAMESPACE)/{{ include "sluice.defaultBackend.fullname" . }}
{{- end }}
{{- with include "sluice.publishService" . }}
- --publish-service={{ . }}
{{- end }}
- --election-id={{ include "sluice.electionId" . }}
{{- with $controller.electionTTL }}
- --election-ttl={{ . }}
{{- end }}
{{- if $controller.disableLeaderElection }}
- --disable-leader-election=true
{{- end }}
- --controller-class={{ $controller.ingressClassResource.controllerValue }}
{{- with $controller.ingressClass }}
- --ingress-class={{ . }}
{{- end }}
- --configmap={{ $configMapNamespace }}/{{ include "sluice.controller.fullname" . }}
{{- if .Values.tcp }}
- --tcp-services-configmap={{ default "$(POD_NAMESPACE)" $controller.tcp.configMapNamespace }}/{{ include "sluice.fullname" . }}-tcp
{{- end }}
{{- if .Values.udp }}
- --udp-services-configmap={{ default "$(POD_NAMESPACE)" $controller.udp.configMapNamespace }}/{{ include "sluice.fullname" . }}-udp
{{- end }}
{{- if $controller.scope.enabled }}
- --watch-namespace={{ default "$(POD_NAMESPACE)" $controller.scope.namespace }}
{{- else if $controller.scope.namespaceSelector }}
- --watch-namespace-selector={{ $controller.scope.namespaceSelector }}
{{- end }}
{{- if and $controller.reportNodeInternalIp $controller.hostNetwork }}
- --report-node-internal-ip-address=true
{{- end }}
{{- include "sluice.arguments.webhook" . }}
{{- include "sluice.arguments.switches" . }}
{{- if ne $controller.healthCheckPath "/healthz" }}
- --health-check-path={{ $controller.healthCheckPath }}
{{- end }}
{{- with $controller.healthCheckHost }}
- --healthz-host={{ . }}
{{- end }}
{{- with (include "sluice.own" . | fromJson).serviceIngressHost }}
- --service-ingress=true
- --service-ingress-host={{ . }}
{{- end }}
{{- with (include "sluice.own" . | fromJson).hostPolicy }}
- --host-policy={{ . }}
{{- end }}
{{- $uiPort := (include "sluice.own" . | fromJson).uiPort }}
{{- if and (not (kindIs "invalid" $uiPort)) (toString $uiPort) }}
- --ui-port={{ $uiPort }}
{{- end }}
{{- with (include "sluice.own" . | fromJson).gateway }}
{{- with .controllerName }}
- --gateway-controller-name={{ . }}
{{- end }}
{{- with .addresses }}
- --gateway-addresses={{ . }}
{{- end }}
{{- with .shared }}
- --shared-gateway={{ . }}
{{- end }}
{{- if include "sluice.gatewayServices" $ }}
- --gateway-services=true
- --gateway-service-ports={{ .services.ports }}
{{- with .services.metadataPrefixes }}
- --gateway-metadata-prefixes={{ join "," . }}
{{- end }}
{{- end }}
{{- end }}
{{- if include "sluice.nginxContainer" . }}
- --nginx-socket=/run/sluice/sockets/nginx.sock
{{- end }}
{{- include "sluice.arguments.grace" . }}
{{- include "sluice.extraArguments" $controller.extraArgs }}
{{- end -}}

{{- define "sluice.arguments.webhook" -}}
{{- $webhook := .Values.controller.admissionWebhooks -}}
{{- if $webhook.enabled }}
- --validating-webhook=:{{ include "sluice.scalar" $webhook.port }}
{{- if include "sluice.admission.ownCertificate" . }}
- --validating-webhook-certificate-secret=$(POD_NAMESPACE)/{{ include "sluice.admission.fullname" . }}
- --validating-webhook-configuration={{ include "sluice.admission.fullname" . }}
{{- else }}
- --validating-webhook-certificate={{ $webhook.certificate }}
- --validating-webhook-key={{ $webhook.key }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Flags that are added only with the value true. */}}
{{- define "sluice.arguments.switches" -}}
{{- $controller := .Values.controller -}}
{{- if $controller.watchIngressWithoutClass }}
- --watch-ingress-without-class=true
{{- end }}
{{- if $controller.ingressClassByName }}
- --ingress-class-by-name=true
{{- end }}
{{- if eq (toJson $controller.enableAnnotationValidations) "false" }}
- --enable-annotation-validation=false
{{- end }}
{{- if $controller.enableTopologyAwareRouting }}
- --enable-topology-aware-routing=true
{{- end }}
{{- if $controller.metrics.enabled }}
- --enable-metrics=true
{{- end }}
{{- end -}}
