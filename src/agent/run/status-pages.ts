import { present } from '../../ground/model/present.ts'
import { type MonoMs, toIso, wallMs } from '../../ground/model/time.ts'
import type { Page, PageOf } from '../../ground/ports/http-door.ts'
import { PROMETHEUS_CONTENT_TYPE } from '../../ground/text/prometheus-text.ts'
import { agentMetrics } from './agent-metrics.ts'
import type { AgentView } from './agent-view.ts'

const JSON_TYPE = 'application/json'
/** An agent that has not looked at anything for so long hangs. */
const HANGS_AFTER_MS = 30_000

interface StatusPagesParts {
  readonly view: () => AgentView
  /** Open at the data port as of now; undefined where that is not known. */
  readonly connections: () => Promise<number | undefined>
  /** Health checks are answered. */
  readonly isOpen: () => boolean
}

/** For people, Prometheus and the kubelet: what is answered, why, and who asks. No health check uses these pages. */
export const statusPages =
  ({ view, connections, isOpen }: StatusPagesParts): PageOf =>
  ({ target }) => {
    switch (target.split('?', 1)[0]) {
      case '/healthz':
        // All but the connections is of one moment, right after they were counted.
        return connections().then((count) => json(200, health(view(), count)))
      case '/probers':
        return json(200, probers(view()))
      case '/livez':
        return yesOrNo(view().lookedAgoMs < HANGS_AFTER_MS)
      case '/readyz':
        return yesOrNo(isReady(view()) && isOpen())
      case '/metrics':
        return { status: 200, contentType: PROMETHEUS_CONTENT_TYPE, body: agentMetrics(view()) }
      default:
        return { status: 404, contentType: 'text/plain; charset=utf-8', body: 'there is no such page\n' }
    }
  }

/** An agent that cannot know whether it may let its node serve is no replacement for one that does. */
const isReady = ({ heard, isKeptKnown, ingress }: AgentView): boolean =>
  heard && isKeptKnown && (ingress?.heard ?? true)

const health = (view: AgentView, connections: number | undefined): unknown => ({
  node: view.node,
  answer: view.decision.answer,
  since: toIso(wallMs(view.wall - (view.now - view.since))),
  reasons: reasonsOf(view.decision),
  api: { heard: view.heard, unheardForMs: view.unheardForMs ?? 0 },
  maintenance: { acknowledged: view.acknowledged, kept: view.kept ?? null },
  brake: { state: view.brake },
  dataPort: view.dataPort ?? 'unknown',
  connections: connections ?? 'unknown',
  polls: pollsOf(view, view.polls),
  ...(view.ingress === undefined ? {} : { ingress: ingressesOf(view, view.ingress) }),
  trouble: [...view.trouble, ...(view.ingress?.trouble ?? [])],
})

const pollsOf = (view: AgentView, polls: AgentView['polls']) =>
  polls.map(({ address, sinceAnswer, total, at, answer }) => ({
    address,
    sinceAnswer,
    total,
    agoMs: agoMs(view, at),
    answer,
  }))

/** One without ports is answered for nowhere. */
const ingressesOf = (view: AgentView, { answered, isOpen }: NonNullable<AgentView['ingress']>) =>
  answered.flatMap(({ facts, decision, since, polls }) => {
    const { namespace, name, ready, order } = facts
    if (order === undefined || order.ports.length === 0) return []
    return {
      namespace,
      name,
      ports: order.ports.map((port) => ({ port, open: isOpen(port) })),
      answer: decision.answer,
      since: toIso(wallMs(view.wall - (view.now - since))),
      reasons: reasonsOf(decision),
      readyPods: ready,
      minReadyPods: order.minReadyPods,
      polls: pollsOf(view, polls),
    }
  })

const reasonsOf = ({ reasons }: Pick<AgentView['decision'], 'reasons'>) =>
  reasons.map(({ code, text, next }) => ({ code, text, ...present({ next }) }))

const probers = (view: AgentView): unknown => ({
  node: view.node,
  answer: view.decision.answer,
  probers: view.polls.map(({ address, port, at, answer, total, sinceAnswer }) => ({
    address,
    port,
    agoMs: agoMs(view, at),
    answer,
    total,
    sinceAnswer,
  })),
})

const agoMs = ({ now }: AgentView, at: MonoMs): number => Math.round(now - at)

const json = (status: number, value: unknown): Page => ({
  status,
  contentType: JSON_TYPE,
  body: `${JSON.stringify(value)}\n`,
})

const yesOrNo = (isSo: boolean): Page => ({
  status: isSo ? 200 : 503,
  contentType: 'text/plain; charset=utf-8',
  body: isSo ? 'ok\n' : 'no\n',
})
