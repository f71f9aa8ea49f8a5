{{/*
Every right of the controller, in one place and beside the reason. It must be exactly what the code calls: an unused verb here
helps an attacker who takes over the Pod, and a missing one is an informer that is refused.
*/}}

{{/* Objects that make the configuration; in the whole cluster, or in the one namespace that is watched. */}}
{{- define "sluice.rights.watched" -}}
# what is watched; get is for the status and for the Services that flags name
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [secrets, configmaps]
  verbs: [list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
# only where a cluster serves no EndpointSlices
- apiGroups: [""]
  resources: [endpoints]
  verbs: [list, watch]
# the Gateway API, where the cluster has it; get is for a status that another client has changed meanwhile
- apiGroups: [gateway.networking.k8s.io]
  resources: [gateways, listenersets, httproutes, grpcroutes, tlsroutes, tcproutes, udproutes, backendtlspolicies]
  verbs: [get, list, watch]
- apiGroups: [gateway.networking.k8s.io]
  resources: [referencegrants]
  verbs: [list, watch]
# annotations for routes, where their definition is installed
- apiGroups: [sluice.dev]
  resources: [routesettings]
  verbs: [get, list, watch]
- apiGroups: [sluice.dev]
  resources: [routesettings/status]
  verbs: [patch, update]
- apiGroups: [gateway.networking.k8s.io]
  resources:
    - gateways/status
    - listenersets/status
    - httproutes/status
    - grpcroutes/status
    - tlsroutes/status
    - tcproutes/status
    - udproutes/status
    - backendtlspolicies/status
  verbs: [patch, update]
{{ include "sluice.rights.events" . }}
{{- if ne (include "sluice.scalar" (default "" (get (default dict .Values.controller.extraArgs) "update-status"))) "false" }}
# the addresses in an Ingress's status
- apiGroups: [networking.k8s.io]
  resources: [ingresses/status]
  verbs: [update]
{{- end }}
{{- if (include "sluice.own" . | fromJson).serviceIngressHost }}
# the Ingresses that annotated Services ask for
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [create, patch, delete]
{{- end }}
{{- if include "sluice.gatewayServices" . }}
# the Services of Gateways and their EndpointSlices; get is for one that another client has changed meanwhile
- apiGroups: [""]
  resources: [services]
  verbs: [create, patch, delete]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [get, create, patch, delete]
{{- end }}
{{- if .Values.controller.scope.enabled }}
# whether the watched namespace exists, and its labels, by which listeners of Gateways take routes
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [{{ default (include "sluice.namespace" .) .Values.controller.scope.namespace }}]
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{- define "sluice.rights.events" -}}
# what is said about an object
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{/* Objects that have no namespace. */}}
{{- define "sluice.rights.cluster" -}}
- apiGroups: [networking.k8s.io]
  resources: [ingressclasses]
  verbs: [list, watch]
# status from node addresses, and the zone of the own node
- apiGroups: [""]
  resources: [nodes]
  verbs: [get]
- apiGroups: [gateway.networking.k8s.io]
  resources: [gatewayclasses]
  verbs: [get, list, watch]
- apiGroups: [gateway.networking.k8s.io]
  resources: [gatewayclasses/status]
  verbs: [patch, update]
# the versions of the Gateway API's definitions, for the condition SupportedVersion
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames:
    - gatewayclasses.gateway.networking.k8s.io
    - gateways.gateway.networking.k8s.io
    - listenersets.gateway.networking.k8s.io
    - httproutes.gateway.networking.k8s.io
    - grpcroutes.gateway.networking.k8s.io
    - tlsroutes.gateway.networking.k8s.io
    - tcproutes.gateway.networking.k8s.io
    - udproutes.gateway.networking.k8s.io
    - backendtlspolicies.gateway.networking.k8s.io
    - referencegrants.gateway.networking.k8s.io
  verbs: [get]
{{- if not .Values.controller.scope.enabled }}
# their labels, by which listeners of Gateways take routes; for --watch-namespace-selector as well
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
{{- end }}
{{- end -}}

{{/* Objects of the release itself, in its own namespace. */}}
{{- define "sluice.rights.own" -}}
# the own Pod, and the Pods beside it for the status
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list]
{{- if include "sluice.gatewayServices" . }}
# the Pods in the EndpointSlices of Gateways, and the record of their target ports; what does not exist cannot be named
- apiGroups: [""]
  resources: [pods]
  verbs: [watch]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [{{ include "sluice.electionId" . }}-gateway-ports]
  verbs: [get, update]
{{- end }}
{{- if not .Values.controller.disableLeaderElection }}
# the election
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "sluice.electionId" . }}]
  verbs: [get, update]
{{- end }}
{{- end -}}

{{/* What a release that watches one namespace still reads in others: in its own, and in those of objects that values name. */}}
{{- define "sluice.rights.beside" -}}
# the published Service and the default backend
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
# settings, TCP and UDP ports, header ConfigMaps; the default certificate
- apiGroups: [""]
  resources: [configmaps, secrets]
  verbs: [list, watch]
{{ include "sluice.rights.events" . }}
{{- end -}}

{{/* The namespaces, beside the watched one, with objects that values name; a JSON list. */}}
{{- define "sluice.rights.namespacesBeside" -}}
{{- $controller := .Values.controller -}}
{{- $named := list $controller.configMapNamespace $controller.tcp.configMapNamespace $controller.udp.configMapNamespace -}}
{{- $certificate := toString (default "" (get (default dict $controller.extraArgs) "default-ssl-certificate")) -}}
{{- range list $controller.publishService.pathOverride $certificate -}}
{{- if and (contains "/" .) (not (hasPrefix "$(" .)) -}}{{- $named = append $named (first (splitList "/" .)) -}}{{- end -}}
{{- end -}}
{{- $own := include "sluice.namespace" . -}}
{{- without (prepend (compact $named) $own | uniq) (default $own $controller.scope.namespace) | toJson -}}
{{- end -}}

{{/* The webhook's certificate: its Secret, and the CA in the webhook configuration. */}}
{{- define "sluice.rights.certificate.secret" -}}
# a Secret that does not exist cannot be named, so create stands alone
- apiGroups: [""]
  resources: [secrets]
  verbs: [create]
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [{{ include "sluice.admission.fullname" . }}]
  verbs: [get, update]
{{- end -}}

{{- define "sluice.rights.certificate.webhook" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations]
  resourceNames: [{{ include "sluice.admission.fullname" . }}]
  verbs: [get, patch]
{{- end -}}

{{/* The binding of a role. Takes a dict: root, kind (Role or ClusterRole), name. */}}
{{- define "sluice.rights.bound" -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "sluice.controller.serviceAccount" .root }}
    namespace: {{ include "sluice.namespace" .root }}
{{- end -}}
