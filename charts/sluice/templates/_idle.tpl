{{/*
A line for each value that is a text other than yes and counts as true, such as a false in quotes,
because templates only test for any text.
*/}}
{{- define "sluice.quotedNo" -}}
{{- range $path := .Files.Get "files/switches.json" | fromJsonArray -}}
{{- $at := $.Values -}}
{{- range splitList "." $path -}}
{{- if kindIs "map" $at -}}{{- $at = get $at . -}}{{- end -}}
{{- end -}}
{{- if and (kindIs "string" $at) (not (regexMatch "^(?i:true|yes|on)?$" $at)) }}
- {{ $path }}: {{ $at | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
A line for each key of the ConfigMap whose value is a list or a mapping. It becomes one text in the
form of Go, as in ingress-nginx's chart, and hardly a key can read that. Keys that do not exist have
a line of their own.
*/}}
{{- define "sluice.shapedSettings" -}}
{{- $settings := .Files.Get "files/settings.json" | fromJsonArray -}}
{{- range $key, $value := .Values.controller.config -}}
{{- if and (has (kindOf $value) (list "map" "slice")) (include "sluice.typos.spelling" (list $key $settings)) }}
- controller.config.{{ $key }}: {{ ternary "a mapping" "a list" (kindIs "map" $value) }}, which becomes {{ include "sluice.scalar" $value | quote }}
{{- with include "sluice.typos.spelling" (list $key (list "proxySetHeaders" "addHeaders")) }}{{ if kindIs "map" $value }}; controller.{{ . }} takes a mapping{{ end }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
A line for each value that is set and has no effect because of another value. ingress-nginx's chart
has the same conditions.
*/}}
{{- define "sluice.idle" -}}
{{- $controller := .Values.controller -}}
{{- $metrics := $controller.metrics -}}
{{- $webhook := $controller.admissionWebhooks -}}
{{- $scalers := list -}}
{{- range $name := list "autoscaling" "keda" -}}
{{- if (get $controller $name).enabled -}}{{- $scalers = append $scalers $name -}}{{- end -}}
{{- end -}}
{{- if gt (len $scalers) 1 }}
- controller.autoscaling.enabled and controller.keda.enabled: with both there is neither; leave one
{{- else if and $scalers (ne $controller.kind "Deployment") }}
- controller.{{ first $scalers }}.enabled: only a Deployment is scaled, and controller.kind is {{ $controller.kind }}
{{- end -}}
{{- if and $controller.service.enabled $controller.service.internal.enabled (not $controller.service.internal.annotations) }}
- controller.service.internal.enabled: an internal Service needs controller.service.internal.annotations to be made
{{- end -}}
{{- if and $controller.reportNodeInternalIp (not $controller.hostNetwork) }}
- controller.reportNodeInternalIp: it needs controller.hostNetwork
{{- end -}}
{{- if and $controller.scope.namespaceSelector $controller.scope.enabled }}
- controller.scope.namespaceSelector: controller.scope.enabled names one namespace already
{{- end -}}
{{- if not $metrics.enabled }}
{{- range $name := list "serviceMonitor" "prometheusRule" -}}
{{- if (default dict (get $metrics $name)).enabled }}
- controller.metrics.{{ $name }}.enabled: it needs controller.metrics.enabled
{{- end -}}
{{- end -}}
{{- else if and $metrics.serviceMonitor.enabled (not $metrics.service.enabled) }}
- controller.metrics.serviceMonitor.enabled: it finds the Pods by the metrics Service, and controller.metrics.service.enabled is false
{{- end -}}
{{- if and $webhook.certManager.enabled (not $webhook.enabled) }}
- controller.admissionWebhooks.certManager.enabled: it needs controller.admissionWebhooks.enabled
{{- end -}}
{{- $folder := printf "%s/" (get (default dict $controller.extraArgs) "geoip-folder" | default "/etc/ingress-controller/geoip" | trimSuffix "/") -}}
{{- $isMounted := false -}}
{{- range $controller.extraVolumeMounts -}}
{{- $path := printf "%s/" (default "" .mountPath | trimSuffix "/") -}}
{{- if or (hasPrefix $path $folder) (hasPrefix $folder $path) -}}{{- $isMounted = true -}}{{- end -}}
{{- end -}}
{{- if and (eq (toString (get (default dict $controller.config) "use-geoip2") | lower) "true") (not $isMounted) }}
- controller.config.use-geoip2: it needs databases, and no volume is mounted at {{ trimSuffix "/" $folder }}
{{- end -}}
{{- if and $controller.customTemplate.configMapKey (not $controller.customTemplate.configMapName) }}
- controller.customTemplate.configMapKey: it needs controller.customTemplate.configMapName
{{- end -}}
{{- end -}}
