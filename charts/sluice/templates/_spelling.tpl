{{/*
Names that resemble each other. The program compares them in the same way (src/kinds/nearest.ts and
src/cli/compat/chart/undeclared.ts).
*/}}

{{/* The form in which names are compared: without a prefix, dashes and capitals. */}}
{{- define "sluice.typos.letters" -}}
{{- regexReplaceAll "^.*[/.]|[-_]" . "" | lower -}}
{{- end -}}

{{/* The name with the same letters, or nothing. Takes a list: what was written, and the names. */}}
{{- define "sluice.typos.spelling" -}}
{{- $letters := include "sluice.typos.letters" (index . 0) -}}
{{- $same := "" -}}
{{- range index . 1 -}}
{{- if and (not $same) (eq $letters (include "sluice.typos.letters" .)) -}}{{- $same = . -}}{{- end -}}
{{- end -}}
{{- $same -}}
{{- end -}}

{{/*
The name with the most similar spelling, or nothing. Takes a list: what was written, and the names.
*/}}
{{- define "sluice.typos.nearest" -}}
{{- $written := index . 0 -}}
{{- $meant := "" -}}
{{- $least := div (len $written) 3 | add1 | int -}}
{{- range index . 1 -}}
{{- $distance := include "sluice.typos.distance" (list (lower $written) (lower .)) | int -}}
{{- if lt $distance $least -}}
{{- $least = $distance -}}
{{- $meant = . -}}
{{- end -}}
{{- end -}}
{{- $meant -}}
{{- end -}}

{{/*
The first name that ends with the word, or nothing: strategy is updateStrategy. Takes a list: what
was written, and the names.
*/}}
{{- define "sluice.typos.ending" -}}
{{- $word := lower (index . 0) -}}
{{- $found := "" -}}
{{- range index . 1 -}}
{{- if and (not $found) (gt (len $word) 5) (hasSuffix $word (lower .)) -}}{{- $found = . -}}{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/*
"true" if a key is a typing mistake of a name: one letter in six differs, or the key is more than
half of the name and its beginning. Takes a list of both.
*/}}
{{- define "sluice.typos.isTypo" -}}
{{- $most := max 1 (div (len (index . 0)) 6) | int -}}
{{- $isPart := le (mul 2 (len (index . 0))) (len (index . 1)) -}}
{{- if and (not $isPart) (le (include "sluice.typos.distance" (list (lower (index . 0)) (lower (index . 1))) | int) $most) -}}true{{- end -}}
{{- end -}}

{{/*
The names that may be meant by a key with this value, as JSON: a mapping is no list, and neither is
a text. An empty one may be any. Takes a list: the value, the values beside it, and the names.
*/}}
{{- define "sluice.typos.ofShape" -}}
{{- $shape := include "sluice.typos.shape" (index . 0) -}}
{{- $beside := index . 1 -}}
{{- $fitting := list -}}
{{- range index . 2 -}}
{{- $own := get $beside . -}}
{{- if or (empty $shape) (kindIs "invalid" $own) (not (hasKey $beside .)) (eq $shape (include "sluice.typos.kind" $own)) -}}{{- $fitting = append $fitting . -}}{{- end -}}
{{- end -}}
{{- $fitting | toJson -}}
{{- end -}}

{{/* The kind of a value that is written, or nothing if it is empty. */}}
{{- define "sluice.typos.shape" -}}
{{- if or (kindIs "invalid" .) (eq (toJson .) "{}") (eq (toJson .) "[]") -}}{{- else -}}{{- include "sluice.typos.kind" . -}}{{- end -}}
{{- end -}}

{{- define "sluice.typos.kind" -}}
{{- if has (kindOf .) (list "map" "slice") -}}{{- kindOf . -}}{{- else -}}plain{{- end -}}
{{- end -}}

{{/*
The number of differing letters between a written word and a name, or 1 if the name begins with the
word.
*/}}
{{- define "sluice.typos.distance" -}}
{{- if hasPrefix (index . 0 | trimSuffix "s") (index . 1) -}}1{{- else -}}{{- include "sluice.typos.changes" . -}}{{- end -}}
{{- end -}}

{{/*
The number of letters that have to change, computed row by row. Two neighbours that have changed
places count one. Takes a list of two words.
*/}}
{{- define "sluice.typos.changes" -}}
{{- $b := splitList "" (index . 1) -}}
{{- $higher := list -}}
{{- $above := untilStep 0 (len $b | add1 | int) 1 -}}
{{- $w := "" -}}
{{- range $i, $x := splitList "" (index . 0) -}}
{{- $row := list (add1 $i) -}}
{{- $z := "" -}}
{{- range $j, $y := $b -}}
{{- $replaced := add (index $above $j) (ternary 0 1 (eq $x $y)) -}}
{{- $least := min $replaced (add1 (index $above (add1 $j))) (add1 (index $row $j)) -}}
{{- if and $i $j (eq $x $z) (eq $w $y) -}}{{- $least = min $least (add1 (index $higher (sub $j 1 | int))) -}}{{- end -}}
{{- $row = append $row $least -}}
{{- $z = $y -}}
{{- end -}}
{{- $higher = $above -}}
{{- $above = $row -}}
{{- $w = $x -}}
{{- end -}}
{{- last $above -}}
{{- end -}}
