import type { Endpoint } from '../../../ground/model/endpoint.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { wordsOf } from '../../../service/actuators/actuator-of.ts'
import { agentCheckOf } from '../../../service/decide/agent-check.ts'
import { apiPort, isNamedAsApi } from '../../../service/decide/api-backend.ts'
import type { ServerReading } from '../../../service/model/balancer.ts'
import type { BackendInspection, InstanceInspection } from '../../../service/model/balancer-inspection.ts'

/** What forbids a roll on one instance, errors first; `apiServers` as for `apiPort`. */
export function inspectionFindings(
  inspection: InstanceInspection,
  apiServers: readonly Endpoint[],
): readonly PlanFinding[] {
  const { instance, backends } = inspection
  const found = [
    ...rightFindings(inspection),
    ...absenceFindings(inspection),
    ...backends.flatMap((backend) => apiFindings(instance, backend, apiServers)),
    ...backends.flatMap((backend) => serverFindings(instance, backend)),
    ...backends.flatMap((backend) => backendFindings(instance, backend)),
  ]
  return [...found.filter(isError), ...found.filter((finding) => !isError(finding))]
}

const isError = (finding: PlanFinding): boolean => finding.severity === 'error'

function rightFindings({ instance, level, processes }: InstanceInspection): readonly PlanFinding[] {
  const findings: PlanFinding[] = []
  if (level !== 'admin') {
    findings.push({
      severity: 'error',
      code: 'BalancerNotAdmin',
      text: `the runtime socket of ${instance} is of level ${level} and is not allowed to change states`,
      fix: 'give its "stats socket" line in haproxy.cfg "level admin", then reload HAProxy',
    })
  }
  if (processes > 1) {
    findings.push({
      severity: 'error',
      code: 'BalancerManyProcesses',
      text: `${instance} runs ${processes} processes, and its socket reaches only one: the others would keep sending`,
      fix: 'replace "nbproc" by "nbthread", or list each process, with its own socket, as an instance',
    })
  }
  return findings
}

function absenceFindings({ instance, missingBackends, disabledBackends }: InstanceInspection): readonly PlanFinding[] {
  const missing = missingBackends.map((name) => ({ name, why: 'is not there or has no server' }))
  const disabled = disabledBackends.map((name) => ({ name, why: 'is disabled' }))
  return [...missing, ...disabled].map(({ name, why }) => ({
    severity: 'error',
    code: 'BalancerBackendMissing',
    text: `backend ${name} of ${instance} ${why}`,
    fix: `check the name, or take ${name} out of "backends"`,
  }))
}

function apiFindings(
  instance: string,
  backend: BackendInspection,
  apiServers: readonly Endpoint[],
): readonly PlanFinding[] {
  const port = apiPort(backend, apiServers)
  const what = `backend ${backend.name} of ${instance}`
  if (port !== undefined) {
    return [
      {
        severity: 'error',
        code: 'BalancerApiBackend',
        text: `${what} looks like the Kubernetes API (a server at port ${port}), which is never taken out`,
        fix: `take ${backend.name} out of "backends"`,
      },
    ]
  }
  if (!isNamedAsApi(backend)) return []
  return [
    {
      severity: 'warning',
      code: 'BalancerApiBackend',
      text: `${what} has the name of the Kubernetes API, and no server at a port of it`,
      fix: `take ${backend.name} out of "backends" if it leads to the API`,
    },
  ]
}

const agentFindings = (server: ServerReading): readonly PlanFinding[] =>
  server.agent ? [{ severity: 'error', code: 'BalancerAgentCheck', ...agentCheckOf(server) }] : []

function serverFindings(instance: string, { name, servers }: BackendInspection): readonly PlanFinding[] {
  const unreachable = servers[0] === undefined ? [] : (wordsOf(servers[0]).ofInstance?.(instance, servers) ?? [])
  // Other servers are asked node by node.
  const ofBalancer = servers.filter((server) => wordsOf(server).balancerTells)
  const unchecked = ofBalancer.filter(({ check }) => check === 'none').map(({ ref }) => ref.server)
  const down = ofBalancer
    .filter((it) => it.ownState === 'ready' && it.operational === 'down')
    .map(({ ref }) => ref.server)
  const onInstance = (names: readonly string[]): string =>
    `${firstOf(names.map((server) => `${name}/${server}`))} on ${instance}`
  const findings: PlanFinding[] = [...unreachable, ...ofBalancer.flatMap(agentFindings)]
  if (unchecked.length > 0) {
    const [has, its] = unchecked.length === 1 ? ['has', 'its'] : ['have', 'their']
    findings.push({
      severity: 'warning',
      code: 'BalancerNoCheck',
      text: `${onInstance(unchecked)} ${has} no health check, so ${its} state "up" proves nothing`,
      fix: `add "check" to server ${firstOf(unchecked)} of backend ${name}`,
    })
  }
  if (down.length > 0) {
    const [is, its] = down.length === 1 ? ['is', 'its node is'] : ['are', 'their nodes are']
    const them = down.length === 1 ? 'it' : 'them'
    findings.push({
      severity: 'warning',
      code: 'BalancerServerDown',
      text: `${onInstance(down)} ${is} ready and down: ${its} put back without waiting for ${them}`,
      fix: `bring ${them} up if ${firstOf(down)} should serve ${name}`,
    })
  }
  return findings
}

function backendFindings(instance: string, backend: BackendInspection): readonly PlanFinding[] {
  const findings: PlanFinding[] = []
  const name = `backend ${backend.name} of ${instance}`
  if (backend.mode === 'tcp') {
    findings.push({
      severity: 'warning',
      code: 'BalancerTcpMode',
      text: `${name} is in mode tcp: a client keeps its connection to a node that is out until one of them closes it`,
      fix: 'set a short detach.idleLimit, or let the app close its connections when it stops',
    })
  }
  if (backend.stickTable || backend.servers.some((server) => server.persistent)) {
    findings.push({
      severity: 'warning',
      code: 'BalancerPersistence',
      text: `${name} remembers clients: only maint moves them, and in maint no health check runs`,
    })
  }
  return findings
}
