{{/*
One line for each value that is set, has no meaning here, and differs from the default of
ingress-nginx's chart. What the values switch off needs no line.
*/}}
{{- define "sluice.withoutMeaning" -}}
{{- range .Files.Get "files/without-meaning.json" | fromJsonArray -}}
{{- $found := true -}}
{{- $at := $.Values -}}
{{- range splitList "." .path -}}
{{- if and $found (kindIs "map" $at) (hasKey $at .) -}}{{- $at = get $at . -}}{{- else -}}{{- $found = false -}}{{- end -}}
{{- end -}}
{{- $off := and (kindIs "map" $at) (hasKey $at "enabled") (eq (toJson $at.enabled) "false") -}}
{{- if and $found (not $off) (not (kindIs "invalid" $at)) (ne (toJson $at) (toJson .silentAt)) }}
- {{ .path }}: {{ .why }}
{{- end -}}
{{- end -}}
{{- end -}}
