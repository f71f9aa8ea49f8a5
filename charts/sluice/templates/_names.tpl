{{/*
Names and labels. They are those of ingress-nginx's chart, "ingress-nginx" included: selectors of a Deployment cannot change, the
Service keeps its address, and kubectl habits keep working. docs/move.md says more.
*/}}

{{- define "sluice.name" -}}
{{- default "ingress-nginx" .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.fullname" -}}
{{- $name := default "ingress-nginx" .Values.nameOverride -}}
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
{{- printf "%s-%s" (include "sluice.controller.fullname" .) .Values.controller.admissionWebhooks.name | trunc 63 | trimSuffix "-" -}}
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

{{/* What finds the release's Pods. */}}
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

{{/* Labels of every object. Takes a list: the root, then maps of labels of which a later one wins. */}}
{{- define "sluice.labels" -}}
{{- $root := first . -}}
{{- $labels := dict
  "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" ($root.Chart.AppVersion | toString)
  "app.kubernetes.io/part-of" (include "sluice.name" $root)
  "app.kubernetes.io/managed-by" $root.Release.Service -}}
{{- range (concat (list $root.Values.commonLabels) (rest .)) -}}
{{- $labels = mergeOverwrite $labels (default dict . | deepCopy) -}}
{{- end -}}
{{- include "sluice.texts" $labels | trim -}}
{{- end -}}

{{/* Labels of a Pod: no version among them, so that an upgrade of the chart alone restarts nothing. Takes a list like sluice.labels. */}}
{{- define "sluice.podLabels" -}}
{{- $root := first . -}}
{{- $labels := dict -}}
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

{{/* A value as text. Helm reads whole numbers as floats, so 10485760 would become 1.048576e+07. */}}
{{- define "sluice.scalar" -}}
{{- if kindIs "float64" . -}}
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

{{/* The same, and values are templates. Takes a list: the root, the map. */}}
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
