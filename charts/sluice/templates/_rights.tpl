{{/*
Every right of the controller, in one place and with its reason. The list must be exactly what the
code uses: an unused verb helps an attacker who takes over the Pod, and without a needed one the API
server refuses the controller's requests.
*/}}

{{/*
Objects that make the configuration; in the whole cluster, or in the one namespace that is watched.
*/}}
{{- define "sluice.rights.watched" -}}
# Objects that the controller watches. It reads a single one for the status, or because a flag names
# a Service.
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
# Used only in a cluster without EndpointSlices.
- apiGroups: [""]
  resources: [endpoints]
  verbs: [list, watch]
# The Gateway API, if the cluster has it. A single object is read when another client has changed
# its status.
- apiGroups: [gateway.networking.k8s.io]
  resources: [gateways, listenersets, httproutes, grpcroutes, tlsroutes, tcproutes, udproutes, backendtlspolicies]
  verbs: [get, list, watch]
- apiGroups: [gateway.networking.k8s.io]
  resources: [referencegrants]
  verbs: [list, watch]
# Settings of routes, if their definition is installed.
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
# The addresses in the status of Ingresses.
- apiGroups: [networking.k8s.io]
  resources: [ingresses/status]
  verbs: [update]
{{- end }}
{{- if (include "sluice.own" . | fromJson).serviceIngressHost }}
# The Ingresses that the controller makes for annotated Services.
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [create, patch, delete]
{{- end }}
{{- if include "sluice.gatewayServices" . }}
# The Services of Gateways and their EndpointSlices. A single one is read when another client has
# changed it.
- apiGroups: [""]
  resources: [services]
  verbs: [create, patch, delete]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [get, create, patch, delete]
{{- end }}
{{- if .Values.controller.scope.enabled }}
# The watched namespace, to check that it exists, and its labels, by which listeners of Gateways
# select routes.
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [{{ default (include "sluice.namespace" .) .Values.controller.scope.namespace }}]
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{- define "sluice.rights.events" -}}
# Events about objects.
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{/* Objects that have no namespace. */}}
{{- define "sluice.rights.cluster" -}}
- apiGroups: [networking.k8s.io]
  resources: [ingressclasses]
  verbs: [list, watch]
# The addresses of nodes for the status, and the zone of the controller's own node.
- apiGroups: [""]
  resources: [nodes]
  verbs: [get]
- apiGroups: [gateway.networking.k8s.io]
  resources: [gatewayclasses]
  verbs: [get, list, watch]
- apiGroups: [gateway.networking.k8s.io]
  resources: [gatewayclasses/status]
  verbs: [patch, update]
# The versions of the Gateway API's definitions, for the condition SupportedVersion.
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
# The labels of namespaces, by which listeners of Gateways and --watch-namespace-selector select.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
{{- end }}
{{- end -}}

{{/* Objects of the release itself, in its own namespace. */}}
{{- define "sluice.rights.own" -}}
# The controller's own Pod, and the Pods of its release for the status.
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list]
{{- if include "sluice.gatewayServices" . }}
# The Pods in the EndpointSlices of Gateways, and the record of target ports. A rule cannot name an
# object that does not exist yet.
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
# The Lease of the election.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "sluice.electionId" . }}]
  verbs: [get, update]
{{- end }}
{{- end -}}

{{/*
The rights that a release for one namespace needs in others: in its own, and in those of objects
that values name.
*/}}
{{- define "sluice.rights.beside" -}}
# The published Service and the default backend.
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
# ConfigMaps with settings, TCP and UDP ports, and headers; and the Secret of the default
# certificate.
- apiGroups: [""]
  resources: [configmaps, secrets]
  verbs: [list, watch]
{{ include "sluice.rights.events" . }}
{{- end -}}

{{/*
A JSON list of the namespaces, except the watched one, that have objects which values name.
*/}}
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
# A rule cannot name a Secret that does not exist yet, so create has a rule of its own.
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
