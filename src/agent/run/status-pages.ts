import { shownJson } from '../../ground/model/foreign-text.ts'
import { plainText } from '../../ground/model/sentence.ts'
import { type MonoMs, toIso, wallMs } from '../../ground/model/time.ts'
import type { Page, PageOf } from '../../ground/ports/http-door.ts'
import { PROMETHEUS_CONTENT_TYPE } from '../../ground/text/prometheus-text.ts'
import { agentMetrics } from './agent-metrics.ts'
import type { AgentStatus } from './agent-status.ts'

const JSON_TYPE = 'application/json'
/** An agent whose files were not read for so long hangs. */
const HANGS_AFTER_MS = 30_000

interface StatusPagesParts {
  readonly status: () => AgentStatus
  /** Open connections at the data port as of now; undefined where that is not known. */
  readonly connections: () => Promise<number | undefined>
  /** Health checks are answered. */
  readonly isOpen: () => boolean
}

/** For people, Prometheus and the kubelet: the answer, its reasons, and who asks. No health check uses these pages. */
export const statusPages =
  ({ status, connections, isOpen }: StatusPagesParts): PageOf =>
  ({ target }) => {
    switch (target.split('?', 1)[0]) {
      case '/healthz':
        // All but the connections is of one moment, right after they were counted.
        return connections().then((count) => json(200, health(status(), count)))
      case '/probers':
        return json(200, probers(status()))
      case '/livez':
        return yesOrNo(status().filesReadAgoMs < HANGS_AFTER_MS)
      case '/readyz':
        return yesOrNo(isReady(status()) && isOpen())
      case '/metrics':
        return { status: 200, contentType: PROMETHEUS_CONTENT_TYPE, body: agentMetrics(status()) }
      default:
        return { status: 404, contentType: 'text/plain; charset=utf-8', body: 'there is no such page\n' }
    }
  }

/** An agent that does not know whether its node may serve cannot replace one that does. */
const isReady = ({ heard, isKeptKnown, ingress }: AgentStatus): boolean =>
  heard && isKeptKnown && (ingress?.heard ?? true)

const health = (status: AgentStatus, connections: number | undefined): unknown => ({
  node: status.node,
  answer: status.decision.answer,
  since: toIso(wallMs(status.wall - (status.now - status.since))),
  reasons: reasonsOf(status.decision),
  api: { heard: status.heard, unheardForMs: status.unheardForMs ?? 0 },
  maintenance: { acknowledged: status.acknowledged, kept: status.kept ?? null },
  brake: { state: status.brake },
  dataPort: status.dataPort ?? 'unknown',
  connections: connections ?? 'unknown',
  polls: pollsOf(status, status.polls),
  ...(status.ingress === undefined ? {} : { ingress: ingressesOf(status, status.ingress) }),
  trouble: [...status.trouble, ...(status.ingress?.trouble ?? [])],
})

const pollsOf = (status: AgentStatus, polls: AgentStatus['polls']) =>
  polls.map(({ address, sinceAnswer, total, at, answer }) => ({
    address,
    sinceAnswer,
    total,
    agoMs: agoMs(status, at),
    answer,
  }))

/** An IngressDaemonSet without ports is answered for nowhere. */
const ingressesOf = (status: AgentStatus, { answered, isOpen }: NonNullable<AgentStatus['ingress']>) =>
  answered.flatMap(({ reading, decision, since, polls }) => {
    const { namespace, name, ready, order } = reading
    if (order === undefined || order.ports.length === 0) return []
    return {
      namespace,
      name,
      ports: order.ports.map((port) => ({ port, open: isOpen(port) })),
      answer: decision.answer,
      since: toIso(wallMs(status.wall - (status.now - since))),
      reasons: reasonsOf(decision),
      readyPods: ready,
      minReadyPods: order.minReadyPods,
      polls: pollsOf(status, polls),
    }
  })

const reasonsOf = ({ reasons }: Pick<AgentStatus['decision'], 'reasons'>) =>
  reasons.map(({ code, text, next }) => ({ code, text, ...(next === undefined ? {} : { next: plainText(next) }) }))

const probers = (status: AgentStatus): unknown => ({
  node: status.node,
  answer: status.decision.answer,
  probers: status.polls.map(({ address, port, at, answer, total, sinceAnswer }) => ({
    address,
    port,
    agoMs: agoMs(status, at),
    answer,
    total,
    sinceAnswer,
  })),
})

const agoMs = ({ now }: AgentStatus, at: MonoMs): number => Math.round(now - at)

const json = (status: number, value: unknown): Page => ({
  status,
  contentType: JSON_TYPE,
  body: `${shownJson(value)}\n`,
})

const yesOrNo = (isSo: boolean): Page => ({
  status: isSo ? 200 : 503,
  contentType: 'text/plain; charset=utf-8',
  body: isSo ? 'ok\n' : 'no\n',
})
