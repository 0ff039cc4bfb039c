{{- define "evenkeel.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "evenkeel.account" -}}
{{- .Values.serviceAccount.name | default (include "evenkeel.name" .) -}}
{{- end -}}

{{- define "evenkeel.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "evenkeel.selector" -}}
app.kubernetes.io/name: evenkeel
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "evenkeel.labels" -}}
{{ include "evenkeel.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "evenkeel.container" -}}
image: {{ include "evenkeel.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "evenkeel.apiServer" -}}
{{- with .Values.apiServer.host }}
- name: KUBERNETES_SERVICE_HOST
  value: {{ . | quote }}
{{- end }}
{{- with .Values.apiServer.port }}
- name: KUBERNETES_SERVICE_PORT
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* A port alone is one of this machine, which a pod with a network of its own is not. */}}
{{- define "evenkeel.dataPort" -}}
{{- $port := toString .Values.agent.dataPort -}}
{{- if and (eq .Values.exposure "hostPort") (regexMatch "^[0-9]+$" $port) -}}
[$(HOST_IP)]:{{ $port }}
{{- else -}}
{{ $port }}
{{- end -}}
{{- end -}}

{{- define "evenkeel.agentArgs" -}}
- agent
{{- $flags := list
  (list "port" .Values.agent.port)
  (list "status-port" .Values.agent.statusPort)
  (list "agent-check-port" .Values.agent.agentCheckPort)
  (list "checker-interval" .Values.agent.checkerInterval)
  (list "address" .Values.agent.address)
  (list "dialect" .Values.agent.dialect)
  (list "data-port" (include "evenkeel.dataPort" .))
  (list "data-every" .Values.agent.dataEvery)
  (list "fall" .Values.agent.fall)
  (list "rise" .Values.agent.rise)
  (list "up-delay" .Values.agent.upDelay)
  (list "cordon-grace" .Values.agent.cordonGrace)
  (list "drain-limit" .Values.agent.drainLimit)
  (list "takeover-limit" (default (printf "%ds" (max 1 (sub (int .Values.minReadySeconds) 3))) .Values.agent.takeoverLimit))
  (list "stale-after" .Values.agent.staleAfter)
  (list "stale-answer" .Values.agent.staleAnswer)
  (list "grants-namespace" .Values.agent.grantsNamespace)
  (list "memory-dir" .Values.agent.memoryDir)
  (list "keep-dir" .Values.agent.keepDir) }}
{{- range $flags }}
{{- $value := toString (index . 1) }}
{{- if ne $value "" }}
- {{ printf "--%s=%s" (index . 0) $value | quote }}
{{- end }}
{{- end }}
{{- range $address, $count := .Values.agent.checkers }}
- {{ printf "--checker=%s=%v" $address $count | quote }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}
