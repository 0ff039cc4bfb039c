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

{{- define "evenkeel.uid" -}}
{{- ternary "0" "65532" .Values.keep -}}
{{- end -}}

{{/* SO_REUSEPORT is for sockets of one user (socket(7)): an agent of another one cannot begin beside the last. */}}
{{- define "evenkeel.uidStays" -}}
{{- $name := include "evenkeel.name" . -}}
{{- $last := dig "spec" "template" "spec" dict (lookup "apps/v1" "DaemonSet" .Release.Namespace $name) -}}
{{- $uid := dig "securityContext" "runAsUser" "" $last | toString -}}
{{- if and (eq .Values.exposure "hostNetwork") $last.hostNetwork (ne $uid (include "evenkeel.uid" .)) -}}
{{- fail "keep cannot be changed by an upgrade with exposure: hostNetwork, since the new agents are of another user and cannot share a port with the last ones: let the load balancers check something else, then uninstall and install" -}}
{{- end -}}
{{- end -}}

{{/* Where nothing is kept a new agent says nothing beside the last one until upDelay is over, and ends at takeover-limit. */}}
{{- define "evenkeel.upDelayFits" -}}
{{- $takeover := .Values.agent.takeoverLimit | default (printf "%ds" (max 1 (sub (int .Values.minReadySeconds) 3))) -}}
{{- $upDelay := .Values.agent.upDelay | default "5s" -}}
{{- $of := dict "ms" 1 "s" 1000 "min" 60000 "h" 3600000 -}}
{{- $unit := regexFind "[a-z]+$" $upDelay -}}
{{- $limitUnit := regexFind "[a-z]+$" $takeover -}}
{{- $ms := mulf (float64 (trimSuffix $unit $upDelay)) (get $of $unit | default 0) -}}
{{- $limitMs := mulf (float64 (trimSuffix $limitUnit $takeover)) (get $of $limitUnit | default 0) -}}
{{- if and (not .Values.keep) (eq .Values.exposure "hostNetwork") (ge $ms $limitMs) -}}
{{- fail (printf "with keep: false no new agent would ever replace one, since it has to wait for agent.upDelay (%s) and ends at agent.takeoverLimit (%s): raise minReadySeconds" $upDelay $takeover) -}}
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
