{{/*
Undeclared values: each gets a line, with the most similar value if there is one. helm's own message
about an unknown key names no other, so values.schema.json accepts any key and checks only the
content. files/values.json lists the paths of all values; a branch is a path that is the beginning
of others.
*/}}

{{/*
A line for each unknown flag, for each typo, and for values that stand a level too deep. The chart
refuses them. A typo is a name that hardly differs from one beside it. A right name at a wrong level
is ignored, as in ingress-nginx's chart, because users have such values for years; below sluice it
is refused.
*/}}
{{- define "sluice.typos" -}}
{{- range splitList "\n" (include "sluice.typos.all" .) -}}
{{- if contains ": " . }}
{{ . }}
{{- end -}}
{{- end -}}
{{- $flags := .Files.Get "files/flags.json" | fromJsonArray -}}
{{- range $key, $_ := .Values.controller.extraArgs -}}
{{- if not (has $key $flags) }}
- controller.extraArgs.{{ $key }}: the controller has no flag --{{ $key }}
{{- $same := include "sluice.typos.spelling" (list $key $flags) -}}
{{- $elsewhere := include "sluice.typos.elsewhere" (list $key "flag" $.Files) -}}
{{- if $same }}; did you mean {{ $same }}?
{{- else if $elsewhere }}; {{ $elsewhere }}
{{- else }}{{ with include "sluice.typos.nearest" (list $key $flags) }}; did you mean {{ . }}?{{ end }}
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
A line for each value and each key of the ConfigMap that is unknown and has no effect.
*/}}
{{- define "sluice.unknown" -}}
{{- range splitList "\n" (include "sluice.typos.all" .) -}}
{{- if and . (not (contains ": " .)) }}
{{ . }}
{{- end -}}
{{- end -}}
{{- $settings := .Files.Get "files/settings.json" | fromJsonArray -}}
{{- range $key, $value := .Values.controller.config -}}
{{- if not (has (lower $key) $settings) }}
- controller.config.{{ $key }}
{{- $holds := false -}}
{{- if kindIs "map" $value -}}{{- range $inner, $_ := $value }}{{ if has (lower $inner) $settings }}{{ $holds = true }}{{ end }}{{ end -}}{{- end -}}
{{- $same := include "sluice.typos.spelling" (list $key $settings) | default (include "sluice.typos.switch" (list $key $settings)) -}}
{{- $elsewhere := include "sluice.typos.elsewhere" (list $key "setting" $.Files) -}}
{{- $ending := "" -}}
{{- range $.Files.Get "files/endings.json" | fromJsonArray }}{{ if regexMatch .keys (lower $key) }}{{ $ending = .why }}{{ end }}{{ end -}}
{{- if $holds }} (its keys belong to controller.config itself)
{{- else if $ending }} ({{ $ending }})
{{- else if $same }} (did you mean {{ $same }}?)
{{- else if $elsewhere }} ({{ $elsewhere }})
{{- else if include "sluice.typos.switched" (list $key $settings) }} (did you mean {{ include "sluice.typos.switched" (list $key $settings) }}?)
{{- else }}{{ include "sluice.typos.similar" (list $key $settings $.Files) }}
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The name that is the word after enable-, max- or use-, or nothing. Takes a list: what was written,
and the names.
*/}}
{{- define "sluice.typos.switch" -}}
{{- $word := index . 0 -}}
{{- $found := "" -}}
{{- range index . 1 -}}
{{- if and (not $found) (has . (list (printf "enable-%s" $word) (printf "max-%s" $word) (printf "use-%s" $word))) -}}{{- $found = . -}}{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/*
The name that switches the same thing with another word, or nothing: enable-gzip is use-gzip. Takes
a list: what was written, and the names.
*/}}
{{- define "sluice.typos.switched" -}}
{{- $word := index . 0 -}}
{{- $bare := regexReplaceAll "^(enable|max|use)-" $word "" -}}
{{- $found := "" -}}
{{- range index . 1 -}}
{{- if and (not $found) (ne $bare $word) (eq $bare (regexReplaceAll "^(enable|max|use)-" . "")) -}}{{- $found = . -}}{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/*
A hint in brackets, or nothing: the name with the most similar spelling, or that the word is a
directive of nginx, unless the name hardly differs. Takes a list: what was written, the names, and
the files.
*/}}
{{- define "sluice.typos.similar" -}}
{{- $word := index . 0 -}}
{{- $nearest := include "sluice.typos.nearest" (list $word (index . 1)) -}}
{{- $directives := (index . 2).Get "files/directives.json" | fromJson -}}
{{- $directive := get $directives (include "sluice.typos.letters" $word) -}}
{{- $close := hasSuffix (printf "-%s" $word) $nearest -}}
{{- if and $directive $nearest (not $close) -}}
{{- $close = lt (include "sluice.typos.changes" (list (lower $word) (lower $nearest)) | int) 3 -}}
{{- end -}}
{{- if and $directive (not $close) }} ({{ $directive }} is a directive of nginx, which only a snippet can hold)
{{- else if $nearest }} (did you mean {{ $nearest }}?)
{{- end -}}
{{- end -}}

{{/*
The meaning of a word in another place, or nothing. It is like elsewhereOf of the program. Takes a
list: the word, the place in which it does not exist (setting, flag or value), and the files.
*/}}
{{- define "sluice.typos.elsewhere" -}}
{{- $word := index . 0 -}}
{{- $here := index . 1 -}}
{{- $files := index . 2 -}}
{{- $found := list -}}
{{- $meaning := get ($files.Get "files/meanings.json" | fromJson) (include "sluice.typos.letters" $word) -}}
{{- if ne $here "setting" -}}
{{- with include "sluice.typos.spelling" (list $word ($files.Get "files/settings.json" | fromJsonArray)) -}}
{{- $found = append $found (printf "a key of the controller's ConfigMap, controller.config.%s" .) -}}
{{- end -}}
{{- end -}}
{{- with include "sluice.typos.spelling" (list $word ($files.Get "files/annotations.json" | fromJsonArray)) -}}
{{- $found = append $found (printf "an annotation of an Ingress%s" (ternary "" (printf ", %s" .) (eq . $word))) -}}
{{- end -}}
{{- if ne $here "flag" -}}
{{- $flags := list -}}
{{- range $files.Get "files/flags.json" | fromJsonArray -}}{{- if contains "-" . -}}{{- $flags = append $flags . -}}{{- end -}}{{- end -}}
{{- with include "sluice.typos.spelling" (list $word $flags) -}}
{{- $found = append $found (printf "a flag of the controller, controller.extraArgs.%s" .) -}}
{{- end -}}
{{- end -}}
{{- if not (or $found (eq $here "value")) -}}
{{- $own := list -}}
{{- range $files.Get "files/values.json" | fromJsonArray -}}
{{- if regexMatch "^controller\\.[a-z]+[A-Z]\\w*$" . -}}{{- $own = append $own . -}}{{- end -}}
{{- end -}}
{{- with include "sluice.typos.spelling" (list $word $own) -}}
{{- $found = append $found (printf "a value of the chart, %s" .) -}}
{{- end -}}
{{- end -}}
{{- if $meaning }}{{ $meaning }}
{{- else }}{{ with $found }}it is {{ join ", and " . }}{{ end }}{{ end -}}
{{- end -}}

{{/* A line for each unknown value. It has a colon if the chart refuses the value. */}}
{{- define "sluice.typos.all" -}}
{{- $keys := dict "" (list) -}}
{{- range .Files.Get "files/values.json" | fromJsonArray -}}
{{- $at := "" -}}
{{- range $key := splitList "." . -}}
{{- if not (has $key (get $keys $at)) -}}{{- $_ := set $keys $at (append (get $keys $at) $key) -}}{{- end -}}
{{- $at = include "sluice.typos.join" (list $at $key) -}}
{{- if not (hasKey $keys $at) -}}{{- $_ := set $keys $at list -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- include "sluice.typos.below" (list .Values "" $keys .Files) | trim -}}
{{- end -}}

{{- define "sluice.typos.join" -}}
{{- join "." . | trimPrefix "." -}}
{{- end -}}

{{/*
Takes a list: the values of one branch, its path, and the keys below every path. A name at the top
of the file is similar to too many others for a hint.
*/}}
{{- define "sluice.typos.below" -}}
{{- $path := index . 1 -}}
{{- $keys := index . 2 -}}
{{- $files := index . 3 -}}
{{- $open := eq $path "global" -}}
{{- range $key, $value := index . 0 -}}
{{- $here := include "sluice.typos.join" (list $path $key) -}}
{{- if has $key (get $keys $path) -}}
{{- if and (kindIs "map" $value) (get $keys $here) -}}
{{- include "sluice.typos.below" (list $value $here $keys $files) -}}
{{- end -}}
{{- else if and (eq $path "") (kindIs "map" $value) (hasKey (default dict $value) "controller") }}
- {{ $here }}: what stands below it belongs at the top of the file, unless this chart is a dependency of another
{{- else if not (or $open (and (eq $path "") (hasPrefix "x-" $key))) }}
- {{ $here }}
{{- if not (or (has $key (list "namespace" "internalTrafficPolicy")) (and (eq $path "") (eq $key "name"))) -}}
{{- $exact := include "sluice.typos.exact" (list $path $key $keys) -}}
{{- $elsewhere := include "sluice.typos.elsewhere" (list $key "value" $files) -}}
{{- $fitting := include "sluice.typos.ofShape" (list $value (index $ 0) (get $keys $path)) | fromJsonArray -}}
{{- $similar := include "sluice.typos.nearest" (list $key $fitting) | default (include "sluice.typos.ending" (list $key $fitting)) -}}
{{- $meant := default (ternary "" (include "sluice.typos.join" (list $path $similar)) (empty $similar)) $exact -}}
{{- $isBeside := and $exact (eq (regexReplaceAll "\\.?[^.]*$" $exact "") $path) -}}
{{- $isTypo := or $isBeside (and $similar (not $exact) (include "sluice.typos.isTypo" (list $key $similar))) -}}
{{- if and $elsewhere (not $exact) }} ({{ $elsewhere }})
{{- else if and $meant (or $isTypo (hasPrefix "sluice." $here)) }}: did you mean {{ $meant }}?
{{- else if $meant }} (did you mean {{ $meant }}?)
{{- end -}}
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Where the same key belongs, or nothing: below a key above that is missing, at a level above, beside
it in another spelling, or further down. Takes a list: the path above, the key, and the keys below
every path.
*/}}
{{- define "sluice.typos.exact" -}}
{{- $path := index . 0 -}}
{{- $key := index . 1 -}}
{{- $keys := index . 2 -}}
{{- $meant := include "sluice.typos.place" (list "" (include "sluice.typos.join" (list $path $key)) $keys) -}}
{{- $level := $path -}}
{{- range $path | splitList "." -}}
{{- $level = regexReplaceAll "\\.?[^.]*$" $level "" -}}
{{- if and (not $meant) (ne $path "") (ne $key "podSecurityPolicy") (has $key (get $keys $level)) -}}{{- $meant = include "sluice.typos.join" (list $level $key) -}}{{- end -}}
{{- end -}}
{{- if not $meant -}}
{{- with include "sluice.typos.spelling" (list $key (get $keys $path)) -}}{{- $meant = include "sluice.typos.join" (list $path .) -}}{{- end -}}
{{- end -}}
{{- default (include "sluice.typos.place" (list (trimPrefix "." (printf "%s." $path)) $key $keys)) $meant -}}
{{- end -}}

{{/*
The shortest path that begins with one path and ends with another, or nothing; several shortest ones
are joined. Paths of the controller come first, and values of the certificate jobs, which the chart
does not have, are left out. Takes a list: both, and the keys below every path.
*/}}
{{- define "sluice.typos.place" -}}
{{- $begin := index . 0 -}}
{{- $end := printf ".%s" (index . 1) -}}
{{- $found := "" -}}
{{- $own := "" -}}
{{- range keys (index . 2) | sortAlpha -}}
{{- $ofJobs := regexMatch "^controller\\.admissionWebhooks\\.(patch|createSecretJob|patchWebhookJob)\\." . -}}
{{- if and (hasPrefix $begin .) (hasSuffix $end .) (not $ofJobs) -}}
{{- $found = include "sluice.typos.shorter" (list $found .) -}}
{{- if hasPrefix "controller." . -}}{{- $own = include "sluice.typos.shorter" (list $own .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- default $found $own -}}
{{- end -}}

{{/*
The shorter of two paths, or both, joined, if they have the same length. Takes a list: the paths
that are the shortest so far, and the next path.
*/}}
{{- define "sluice.typos.shorter" -}}
{{- $one := index . 1 -}}
{{- $length := len (first (splitList " or " (index . 0))) -}}
{{- if or (not (index . 0)) (lt (len $one) $length) -}}{{- $one -}}
{{- else if eq (len $one) $length -}}{{- index . 0 }} or {{ $one -}}
{{- else -}}{{- index . 0 -}}
{{- end -}}
{{- end -}}
