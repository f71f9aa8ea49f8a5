{{/*
Images. A values file of ingress-nginx may pin ingress-nginx's own image, which would start the
wrong program. So such a pin is recognised by its path or its tag, and ignored.
*/}}

{{/*
"true" for registry.k8s.io and the earlier registries of the Kubernetes project, where Sluice is not
published.
*/}}
{{- define "sluice.image.foreignRegistry" -}}
{{- if regexMatch "^([^/]*\\.k8s\\.io|k8s\\.gcr\\.io|([a-z]+\\.)?gcr\\.io/(google[_-]containers|k8s-artifacts-prod)|quay\\.io/kubernetes-ingress-controller)(/|$)" (default "" .) -}}true{{- end -}}
{{- end -}}

{{/* The path of the controller's image in the values, without its registry. */}}
{{- define "sluice.image.path" -}}
{{- default (default "" .Values.controller.image.image) .Values.controller.image.repository -}}
{{- end -}}

{{/* "true" if the values name ingress-nginx's controller. */}}
{{- define "sluice.image.pinsIngressNginx" -}}
{{- if include "sluice.image.isCopy" . -}}true
{{- else if regexMatch "^(v?1\\.[0-9]+\\.[0-9]+|v0\\.[0-9][0-9]\\.)" (include "sluice.scalar" (default "" .Values.controller.image.tag)) -}}true
{{- end -}}
{{- end -}}

{{/* "true" if the path is that of ingress-nginx's image, also in a mirror. */}}
{{- define "sluice.image.isCopy" -}}
{{- if regexMatch "(ingress-nginx[-_./]controller(-chroot)?|nginx-ingress-controller(-[a-z0-9]+)?)$" (include "sluice.image.path" .) -}}true{{- end -}}
{{- end -}}

{{/*
The image in the values if only its tag is one of ingress-nginx, because others have built it on
ingress-nginx's: crowdsecurity/controller:v1.13.2.
*/}}
{{- define "sluice.image.builtOnIngressNginx" -}}
{{- $path := include "sluice.image.path" . -}}
{{- if and (include "sluice.image.pinsIngressNginx" .) (not (include "sluice.image.isCopy" .)) (not (contains "sluice" $path)) -}}
{{- printf "%s:%s" $path (include "sluice.scalar" .Values.controller.image.tag) -}}
{{- end -}}
{{- end -}}

{{/*
registry/path:tag@digest. Takes a dict: root, image (its values), path, tag. An ignored registry of
the image leaves the global one in force.
*/}}
{{- define "sluice.image.join" -}}
{{- $registry := "" -}}
{{- range list .root.Values.global.image.registry .image.registry -}}
{{- if and . (not (include "sluice.image.foreignRegistry" .)) -}}{{- $registry = . -}}{{- end -}}
{{- end -}}
{{- $path := default (printf "%s/%s" $registry .path | trimPrefix "/") .repository -}}
{{- printf "%s:%s" $path (include "sluice.scalar" .tag) -}}
{{- with .digest -}}@{{ . }}{{- end -}}
{{- end -}}

{{- define "sluice.controller.image" -}}
{{- $image := .Values.controller.image -}}
{{- if include "sluice.image.pinsIngressNginx" . -}}
{{- include "sluice.image.join" (dict "root" . "image" $image "path" "sluice/controller" "tag" .Chart.AppVersion) -}}
{{- else -}}
{{- include "sluice.image.join" (dict "root" . "image" $image "path" $image.image "repository" $image.repository "tag" (default .Chart.AppVersion $image.tag) "digest" $image.digest) -}}
{{- end -}}
{{- end -}}

{{/* "true" if the default backend's image is another one than Sluice's. */}}
{{- define "sluice.defaultBackend.ownImage" -}}
{{- $image := .Values.defaultBackend.image -}}
{{- if or $image.repository (and $image.image (not (hasPrefix "defaultbackend-" $image.image))) -}}true{{- end -}}
{{- end -}}

{{- define "sluice.defaultBackend.image" -}}
{{- $image := .Values.defaultBackend.image -}}
{{- if include "sluice.defaultBackend.ownImage" . -}}
{{- $registry := default "" (default .Values.global.image.registry $image.registry) -}}
{{- $path := default (printf "%s/%s" $registry $image.image | trimPrefix "/") $image.repository -}}
{{- printf "%s:%s" $path (include "sluice.scalar" (default "latest" $image.tag)) -}}
{{- with $image.digest -}}@{{ . }}{{- end -}}
{{- else -}}
{{- include "sluice.controller.image" . -}}
{{- end -}}
{{- end -}}
