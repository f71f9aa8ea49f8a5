{{/*
One line for each value that is set, has no meaning here, and differs from the default of
ingress-nginx's chart. What the values switch off, with all that stands below it, needs no line. The
key `enabled` of the whole chart switches nothing off when the chart itself is installed.
*/}}
{{- define "sluice.withoutMeaning" -}}
{{- range .Files.Get "files/without-meaning.json" | fromJsonArray -}}
{{- $found := true -}}
{{- $at := $.Values -}}
{{- $off := false -}}
{{- range $depth, $key := splitList "." .path -}}
{{- if and $depth (kindIs "map" $at) (ne $key "enabled") -}}{{- $off = or $off (eq (toJson $at.enabled) "false") -}}{{- end -}}
{{- if and $found (kindIs "map" $at) (hasKey $at $key) -}}{{- $at = get $at $key -}}{{- else -}}{{- $found = false -}}{{- end -}}
{{- end -}}
{{- if kindIs "map" $at -}}{{- $off = or $off (eq (toJson $at.enabled) "false") (include "sluice.saysNo" $at.enabled) -}}{{- end -}}
{{- if and $found (not $off) (not (kindIs "invalid" $at)) (ne (toJson $at) (toJson .silentAt)) }}
- {{ .path }}: {{ .why }}
{{- end -}}
{{- end -}}
{{- end -}}
