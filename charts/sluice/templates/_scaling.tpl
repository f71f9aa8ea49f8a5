{{/*
"true" while the controller is a Deployment and one autoscaler is on. Takes a list: the root, its
name, the other's.
*/}}
{{- define "sluice.scaledBy" -}}
{{- $controller := (index . 0).Values.controller -}}
{{- if and (eq $controller.kind "Deployment") (get $controller (index . 1)).enabled (not (get $controller (index . 2)).enabled) -}}true{{- end -}}
{{- end -}}

{{/* The smallest number of replicas. */}}
{{- define "sluice.leastReplicas" -}}
{{- $controller := .Values.controller -}}
{{- if include "sluice.scaledBy" (list . "autoscaling" "keda") -}}{{- $controller.autoscaling.minReplicas -}}
{{- else if include "sluice.scaledBy" (list . "keda" "autoscaling") -}}{{- $controller.keda.minReplicas -}}
{{- else -}}{{- $controller.replicaCount -}}
{{- end -}}
{{- end -}}

{{/* Metrics of an autoscaler for CPU and memory. Takes the values below autoscaling. */}}
{{- define "sluice.resourceMetrics" -}}
{{- with .targetMemoryUtilizationPercentage }}
- type: Resource
  resource:
    name: memory
    target:
      type: Utilization
      averageUtilization: {{ . }}
{{- end }}
{{- with .targetCPUUtilizationPercentage }}
- type: Resource
  resource:
    name: cpu
    target:
      type: Utilization
      averageUtilization: {{ . }}
{{- end }}
{{- end -}}

{{/*
The number of Pods that may be missing. Takes the values of the controller or of the default
backend.
*/}}
{{- define "sluice.disruption" -}}
{{- if hasKey . "maxUnavailable" }}
maxUnavailable: {{ .maxUnavailable }}
{{- else }}
minAvailable: {{ .minAvailable }}
{{- end }}
{{- with .unhealthyPodEvictionPolicy }}
unhealthyPodEvictionPolicy: {{ . }}
{{- end }}
{{- end -}}
