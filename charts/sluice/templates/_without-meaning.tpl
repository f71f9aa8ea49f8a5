{{/*
One line for each value that is set, has no meaning here, and differs from the default of
ingress-nginx's chart.
*/}}
{{- define "sluice.withoutMeaning" -}}
{{- range .Files.Get "files/without-meaning.json" | fromJsonArray -}}
{{- $found := true -}}
{{- $at := $.Values -}}
{{- range splitList "." .path -}}
{{- if and $found (kindIs "map" $at) (hasKey $at .) -}}{{- $at = get $at . -}}{{- else -}}{{- $found = false -}}{{- end -}}
{{- end -}}
{{- if and $found (not (kindIs "invalid" $at)) (ne (toJson $at) (toJson .silentAt)) }}
- {{ .path }}: {{ .why }}
{{- end -}}
{{- end -}}
{{- end -}}
