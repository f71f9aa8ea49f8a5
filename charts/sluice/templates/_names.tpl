{{/*
Names and labels. They are those of ingress-nginx's chart, "ingress-nginx" included: the selectors
of a Deployment cannot change, the Service keeps its address, and users' kubectl commands still
work. See docs/move.md.
*/}}

{{/*
The alias under which another chart depends on this one. ingress-nginx's chart makes its names from
it as well.
*/}}
{{- define "sluice.chartName" -}}
{{- $own := ternary "ingress-nginx" .Chart.Name (eq .Chart.Name "sluice") -}}
{{- default $own .Values.nameOverride -}}
{{- end -}}

{{- define "sluice.name" -}}
{{- include "sluice.chartName" . | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.fullname" -}}
{{- $name := include "sluice.chartName" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "sluice.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{- define "sluice.controller.fullname" -}}
{{- printf "%s-%s" (include "sluice.fullname" .) .Values.controller.name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.admission.fullname" -}}
{{- printf "%s-%s" (include "sluice.fullname" .) .Values.controller.admissionWebhooks.name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.admission.service" -}}
{{- printf "%s-admission" (include "sluice.controller.fullname" .) -}}
{{- end -}}

{{- define "sluice.defaultBackend.fullname" -}}
{{- printf "%s-%s" (include "sluice.fullname" .) .Values.defaultBackend.name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.controller.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sluice.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "sluice.defaultBackend.serviceAccount" -}}
{{- if .Values.defaultBackend.serviceAccount.create -}}
{{- default (printf "%s-backend" (include "sluice.fullname" .)) .Values.defaultBackend.serviceAccount.name -}}
{{- else -}}
{{- default "default-backend" .Values.defaultBackend.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The labels by which selectors find the release's Pods. */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ include "sluice.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sluice.controller.selector" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/component: controller
{{- end -}}

{{- define "sluice.defaultBackend.selector" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/component: default-backend
{{- end -}}

{{/*
Labels of every object. Takes a list: the root, then maps of labels. A later map overrides an
earlier one.
*/}}
{{- define "sluice.labels" -}}
{{- $root := first . -}}
{{- $labels := dict
  "helm.sh/chart" (include "sluice.chart" $root)
  "app.kubernetes.io/version" ($root.Chart.AppVersion | toString)
  "app.kubernetes.io/part-of" (include "sluice.name" $root)
  "app.kubernetes.io/managed-by" $root.Release.Service -}}
{{- range (concat (list $root.Values.commonLabels) (rest .)) -}}
{{- $labels = mergeOverwrite $labels (default dict . | deepCopy) -}}
{{- end -}}
{{- include "sluice.texts" $labels | trim -}}
{{- end -}}

{{/*
Labels of a Pod. They have no version, so an upgrade of the chart alone restarts no Pod. Takes a
list like sluice.labels.
*/}}
{{- define "sluice.podLabels" -}}
{{- $root := first . -}}
{{- $labels := dict
  "app.kubernetes.io/part-of" (include "sluice.name" $root)
  "app.kubernetes.io/managed-by" $root.Release.Service -}}
{{- range (concat (list $root.Values.commonLabels) (rest .)) -}}
{{- $labels = mergeOverwrite $labels (default dict . | deepCopy) -}}
{{- end -}}
{{- include "sluice.texts" $labels | trim -}}
{{- end -}}

{{- define "sluice.controller.labels" -}}
{{- include "sluice.labels" (list . (include "sluice.controller.selector" . | fromYaml) .Values.controller.labels) -}}
{{- end -}}

{{- define "sluice.admission.labels" -}}
{{- $component := dict "app.kubernetes.io/component" "admission-webhook" -}}
{{- include "sluice.labels" (list . (include "sluice.selector" . | fromYaml) $component .Values.controller.labels .Values.controller.admissionWebhooks.labels) | trim -}}
{{- end -}}

{{- define "sluice.defaultBackend.labels" -}}
{{- include "sluice.labels" (list . (include "sluice.defaultBackend.selector" . | fromYaml) .Values.defaultBackend.labels) | trim -}}
{{- end -}}

{{/*
A value as text, which is empty for a null. Helm reads whole numbers as floats, so 10485760 would
become 1.048576e+07.
*/}}
{{- define "sluice.scalar" -}}
{{- if kindIs "invalid" . -}}
{{- else if kindIs "float64" . -}}
{{- if eq (floor .) . -}}{{- printf "%.0f" . -}}{{- else -}}{{- toString . -}}{{- end -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{/* Keys and values as text, in the order of the keys. */}}
{{- define "sluice.texts" -}}
{{- range $key, $value := . }}
{{ $key }}: {{ include "sluice.scalar" $value | quote }}
{{- end -}}
{{- end -}}

{{/*
Like sluice.texts, with the values evaluated as templates. Takes a list: the root, the map.
*/}}
{{- define "sluice.templatedTexts" -}}
{{- $root := index . 0 -}}
{{- range $key, $value := index . 1 }}
{{ $key }}: {{ tpl (include "sluice.scalar" $value) $root | quote }}
{{- end -}}
{{- end -}}

{{/* A piece of YAML, or text that is a template of one. Takes a list: the root, the piece. */}}
{{- define "sluice.templated" -}}
{{- $piece := index . 1 -}}
{{- if kindIs "string" $piece -}}
{{- tpl $piece (index . 0) -}}
{{- else -}}
{{- tpl (toYaml $piece) (index . 0) -}}
{{- end -}}
{{- end -}}

{{/* "true" for a false that is written in quotes. */}}
{{- define "sluice.saysNo" -}}
{{- if and (kindIs "string" .) (regexMatch "^(?i:false|no|off)$" .) -}}true{{- end -}}
{{- end -}}

{{/* "true" if the account's token is mounted. */}}
{{- define "sluice.holdsToken" -}}
{{- $mounted := .Values.serviceAccount.automountServiceAccountToken -}}
{{- if and $mounted (not (include "sluice.saysNo" $mounted)) -}}true{{- end -}}
{{- end -}}

{{/*
The values below sluice, as JSON. A false in quotes is false here. They are missing if helm's
--reuse-values keeps the defaults of ingress-nginx's chart.
*/}}
{{- define "sluice.own" -}}
{{- $own := default dict .Values.sluice -}}
{{- if not (hasKey $own "shutdownGracePeriod") -}}{{- $_ := set $own "shutdownGracePeriod" 30 -}}{{- end -}}
{{- if not (hasKey $own "memoryLimit") -}}{{- $_ := set $own "memoryLimit" "4Gi" -}}{{- end -}}
{{- $_ := set $own "nginxContainer" (default dict $own.nginxContainer) -}}
{{- $_ := set $own "gateway" (default dict $own.gateway) -}}
{{- $_ := set $own.gateway "services" (default dict $own.gateway.services) -}}
{{- $_ := set $own.gateway.services "ports" (default "20000-20999" $own.gateway.services.ports) -}}
{{- range $values := list $own $own.nginxContainer $own.gateway.services -}}
{{- range $key, $value := $values -}}
{{- if include "sluice.saysNo" $value -}}{{- $_ := set $values $key false -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $own | toJson -}}
{{- end -}}

{{/* "true" if each Gateway gets a Service of its own. */}}
{{- define "sluice.gatewayServices" -}}
{{- if (include "sluice.own" . | fromJson).gateway.services.enabled -}}true{{- end -}}
{{- end -}}

{{/* "true" if nginx runs in a container of its own. */}}
{{- define "sluice.nginxContainer" -}}
{{- if (include "sluice.own" . | fromJson).nginxContainer.enabled -}}true{{- end -}}
{{- end -}}
