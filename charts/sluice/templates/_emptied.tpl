{{/*
A line for each key that needs a value and has none. Helm takes `service:` alone for a null, which
removes all defaults below it. files/needed.json lists the keys.
*/}}
{{- define "sluice.emptied" -}}
{{- $named := list -}}
{{- range .Files.Get "files/needed.json" | fromJsonArray -}}
{{- $path := .path -}}
{{- $isOff := and .if (has (include "sluice.emptied.at" (list $.Values (default "" .if))) (list "null" "false" "\"\"" "{}")) -}}
{{- $isBelow := false -}}
{{- range $named -}}{{- if hasPrefix (printf "%s." .) $path -}}{{- $isBelow = true -}}{{- end -}}{{- end -}}
{{- if and (not $isOff) (not $isBelow) (eq "null" (include "sluice.emptied.at" (list $.Values $path))) -}}
{{- $named = append $named $path }}
- {{ $path }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The value at a path, as JSON. Takes a list: the values, and the path. */}}
{{- define "sluice.emptied.at" -}}
{{- $at := index . 0 -}}
{{- range splitList "." (index . 1) -}}
{{- if kindIs "map" $at -}}{{- $at = index $at . -}}{{- end -}}
{{- end -}}
{{- toJson $at -}}
{{- end -}}
