{{- define "flux-operator.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end -}}

{{- define "flux-operator.fullname" -}}
{{- $name := include "flux-operator.name" . -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride }}
{{- else if contains $name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "flux-operator.selector" -}}
app.kubernetes.io/name: {{ include "flux-operator.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The chart's own labels win over commonLabels. */}}
{{- define "flux-operator.labels" -}}
{{- $labels := include "flux-operator.selector" . | fromYaml -}}
{{- $_ := set $labels "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ := set $labels "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $labels "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version) -}}
{{ merge $labels (default dict .Values.commonLabels) | toYaml }}
{{- end -}}

{{- define "flux-operator.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "flux-operator.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "flux-operator.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ required "serviceAccount.name is needed if serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{- define "flux-operator.subjects" -}}
subjects:
- kind: ServiceAccount
  name: {{ include "flux-operator.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* The rules of one role in files/role.yaml, which controller-gen generates. */}}
{{- define "flux-operator.role" -}}
{{- range splitList "\n---" (.context.Files.Get "files/role.yaml") -}}
{{- $role := fromYaml . -}}
{{- if and (eq (default "" $role.kind) $.kind) (eq $role.metadata.name $.name) -}}
{{ toYaml $role.rules }}
{{- end -}}
{{- end -}}
{{- end -}}
