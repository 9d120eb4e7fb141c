{{- define "flux-operator.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "flux-operator.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "flux-operator.labels" -}}
{{ include "flux-operator.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
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
