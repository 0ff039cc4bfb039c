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
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "evenkeel.labels" -}}
{{ include "evenkeel.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "evenkeel.container" -}}
image: {{ include "evenkeel.image" . | quote }}
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

{{- define "evenkeel.takeoverLimit" -}}
{{- default (printf "%ds" (max 1 (sub (int .Values.minReadySeconds) 3))) .Values.agent.takeoverLimit -}}
{{- end -}}

{{/* Milliseconds of a duration as the program reads it: 5s, 1.5 s, 1h30m; 0 where it is none. */}}
{{- define "evenkeel.ms" -}}
{{- $of := dict "ms" 1 "s" 1000 "m" 60000 "min" 60000 "h" 3600000 -}}
{{- $ms := 0.0 -}}
{{- range regexFindAll "[0-9.]+ *(ms|min|s|m|h)" . -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $ms = addf $ms (mulf (float64 (trim (trimSuffix $unit .))) (get $of $unit)) -}}
{{- end -}}
{{- $ms -}}
{{- end -}}

{{/*
A new agent says nothing beside the last one until its dataPort has answered rise times and, where nothing is kept, upDelay is
over, and ends at takeover-limit, which counts from the start of its process: one second is for that.
*/}}
{{- define "evenkeel.upDelayFits" -}}
{{- $agent := .Values.agent -}}
{{- $upDelay := ternary "5s" (toString $agent.upDelay) (eq (toString $agent.upDelay) "") -}}
{{- $every := include "evenkeel.ms" (ternary "2s" (toString $agent.dataEvery) (eq (toString $agent.dataEvery) "")) -}}
{{- $rise := ternary 2 (int $agent.rise) (eq (toString $agent.rise) "") -}}
{{- $asked := ternary 0.0 (mulf (float64 $every) (sub $rise 1)) (eq (toString $agent.dataPort) "") -}}
{{- $waited := ternary 0.0 (float64 (include "evenkeel.ms" $upDelay)) .Values.keep -}}
{{- $ms := addf 1000 $waited $asked -}}
{{- $limit := include "evenkeel.takeoverLimit" . -}}
{{- if and (eq .Values.exposure "hostNetwork") (gt $ms (float64 (include "evenkeel.ms" $limit))) -}}
{{- fail (printf "no new agent would ever replace one, since it is ready after %vms at best (questions to agent.dataPort, with keep: false agent.upDelay, and a second to begin) and ends after %s: raise minReadySeconds" $ms $limit) -}}
{{- end -}}
{{- end -}}

{{/* Two doors at one port would each be given some of those who ask for the other. */}}
{{- define "evenkeel.portsDiffer" -}}
{{- $ports := list (toString .Values.agent.port) (toString .Values.agent.statusPort) -}}
{{- with .Values.agent.agentCheckPort }}{{ $ports = append $ports (toString .) }}{{ end -}}
{{- if lt (len (uniq $ports)) (len $ports) -}}
{{- fail "agent.port, agent.statusPort and agent.agentCheckPort have to be different ones" -}}
{{- end -}}
{{- end -}}

{{/* Part of the controller; and no pod is replaced unless two nodes see that it is ill. */}}
{{- define "evenkeel.dnsFits" -}}
{{- with .Values.dns -}}
{{- if and .enabled (not $.Values.controller.enabled) -}}
{{- fail "dns.enabled requires controller.enabled: the controller checks DNS" -}}
{{- end -}}
{{- if and (or .relay .repair) (not .enabled) -}}
{{- fail "dns.relay and dns.repair require dns.enabled" -}}
{{- end -}}
{{- if and .repair (not .relay) -}}
{{- fail "dns.repair requires dns.relay: no pod is replaced unless two nodes see that it is ill" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Absent in what helm upgrade --reuse-values has of an earlier chart. */}}
{{- define "evenkeel.rolls" -}}
{{- if (.Values.rolls | default dict).enabled -}}
true
{{- end -}}
{{- end -}}

{{- define "evenkeel.fleetLock" -}}
{{- if and (include "evenkeel.rolls" .) ((.Values.rolls | default dict).fleetLock | default dict).enabled -}}
true
{{- end -}}
{{- end -}}

{{- define "evenkeel.rollsFit" -}}
{{- if and ((.Values.rolls | default dict).fleetLock | default dict).enabled (not (include "evenkeel.rolls" .)) -}}
{{- fail "rolls.fleetLock.enabled requires rolls.enabled: each client is answered by a Roll" -}}
{{- end -}}
{{- if and (include "evenkeel.fleetLock" .) (not .Values.rolls.fleetLock.tokenSecret) -}}
{{- fail "rolls.fleetLock.enabled requires rolls.fleetLock.tokenSecret: who asks takes nodes out of service" -}}
{{- end -}}
{{- if include "evenkeel.rolls" . -}}
{{- if not .Values.controller.enabled -}}
{{- fail "rolls.enabled requires controller.enabled: the controller carries out Rolls" -}}
{{- end -}}
{{- if semverCompare "<1.29.0-0" .Capabilities.KubeVersion.Version -}}
{{- fail (printf "rolls.enabled requires Kubernetes 1.29 or newer, whose Jobs wait until a pod has ended; this is %s" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "evenkeel.bringsRollCrds" -}}
{{- $crds := .Values.crds | default (dict "install" true) -}}
{{- if and (include "evenkeel.rolls" .) $crds.install -}}
true
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
  (list "takeover-limit" (include "evenkeel.takeoverLimit" .))
  (list "stale-after" .Values.agent.staleAfter)
  (list "stale-answer" .Values.agent.staleAnswer)
  (list "ingress-ports" .Values.agent.ingressPorts)
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
{{- if eq (include "evenkeel.answersIngress" .) "true" }}
- --ingress
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Ports that come and go take the network of the node: a port of a pod is declared with the pod. */}}
{{- define "evenkeel.answersIngress" -}}
{{- and .Values.ingress.enabled (eq .Values.exposure "hostNetwork") -}}
{{- end -}}

{{/* The controller acts on IngressDaemonSets, and hears of the agents which of them have taken their node out. */}}
{{- define "evenkeel.ingressFits" -}}
{{- with .Values.ingress -}}
{{- if and .enabled (not $.Values.controller.enabled) -}}
{{- fail "ingress.enabled requires controller.enabled: the controller rolls IngressDaemonSets out" -}}
{{- end -}}
{{- if and .enabled $.Values.agent.address -}}
{{- fail "ingress.enabled requires agents that answer at the addresses of their nodes, where the controller asks them: remove agent.address" -}}
{{- end -}}
{{- if and .enabled (semverCompare "<1.29.0-0" $.Capabilities.KubeVersion.Version) -}}
{{- fail (printf "ingress.enabled requires Kubernetes 1.29 or newer, which checks the rules of IngressDaemonSets; this is %s" $.Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- if (.webhook | default dict).enabled -}}
{{- fail "ingress.webhook is gone: the controller checks each object itself, and shows what it finds in its conditions and Events. Remove ingress.webhook from the values; with --reuse-values add --set ingress.webhook=null" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* helm upgrade --reuse-values of a release of an earlier chart has no guard. */}}
{{- define "evenkeel.guards" -}}
{{- with .Values.guard -}}
{{- if .enabled -}}
true
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "evenkeel.guardFits" -}}
{{- if include "evenkeel.guards" . -}}
{{- if not .Values.controller.enabled -}}
{{- fail "guard.enabled requires controller.enabled: the controller acts on NodeGuards" -}}
{{- end -}}
{{- if semverCompare "<1.29.0-0" .Capabilities.KubeVersion.Version -}}
{{- fail (printf "guard.enabled requires Kubernetes 1.29 or newer, which checks the rules of NodeGuards; this is %s" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "evenkeel.bringsGuardCrd" -}}
{{- $crds := .Values.crds | default (dict "install" true) -}}
{{- if and (include "evenkeel.guards" .) $crds.install -}}
true
{{- end -}}
{{- end -}}

{{- define "evenkeel.ingressGroups" -}}
{{- .Values.ingress.groups | default (list "evenkeel.dev") | toJson -}}
{{- end -}}

{{/* helm upgrade --reuse-values of a release of an earlier chart has no crds. */}}
{{- define "evenkeel.bringsCrd" -}}
{{- $values := .root.Values -}}
{{- $crds := $values.crds | default (dict "install" true) -}}
{{- if and $values.ingress.enabled $crds.install (has .group (include "evenkeel.ingressGroups" .root | fromJsonArray)) -}}
true
{{- end -}}
{{- end -}}

{{- define "evenkeel.rebooterSlots" -}}
{{- .Values.ingress.slotsNamespace | default "evenkeel" -}}
{{- end -}}

{{- define "evenkeel.rebooterEnv" -}}
- name: NODE_NAME
  valueFrom:
    fieldRef:
      fieldPath: spec.nodeName
{{- with include "evenkeel.apiServer" . | trim }}
{{ . }}
{{- end }}
{{- end -}}
