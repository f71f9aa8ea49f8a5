{{/*
Names that values of ingress-nginx may include. Values that are templates (affinity,
topologySpreadConstraints, config ...) often have {{ include "ingress-nginx.name" . }}, as the
comments of its own values file do.
*/}}

{{- define "ingress-nginx.name" -}}{{- include "sluice.name" . -}}{{- end -}}
{{- define "ingress-nginx.chart" -}}{{- include "sluice.chart" . -}}{{- end -}}
{{- define "ingress-nginx.fullname" -}}{{- include "sluice.fullname" . -}}{{- end -}}
{{- define "ingress-nginx.namespace" -}}{{- include "sluice.namespace" . -}}{{- end -}}
{{- define "ingress-nginx.labels" -}}{{- include "sluice.labels" (list . (include "sluice.selector" . | fromYaml)) -}}{{- end -}}
{{- define "ingress-nginx.selectorLabels" -}}{{- include "sluice.selector" . -}}{{- end -}}
{{- define "ingress-nginx.controller.fullname" -}}{{- include "sluice.controller.fullname" . -}}{{- end -}}
{{- define "ingress-nginx.controller.electionID" -}}{{- include "sluice.electionId" . -}}{{- end -}}
{{- define "ingress-nginx.serviceAccountName" -}}{{- include "sluice.controller.serviceAccount" . -}}{{- end -}}
{{- define "ingress-nginx.admissionWebhooks.fullname" -}}{{- include "sluice.admission.fullname" . -}}{{- end -}}
{{- define "ingress-nginx.defaultBackend.fullname" -}}{{- include "sluice.defaultBackend.fullname" . -}}{{- end -}}
{{- define "ingress-nginx.defaultBackend.serviceAccountName" -}}{{- include "sluice.defaultBackend.serviceAccount" . -}}{{- end -}}
