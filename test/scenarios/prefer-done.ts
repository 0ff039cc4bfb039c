import { appContainer } from '../../src/sim/cluster/article-workloads.ts'
import type { RollGround, Spec } from '../support/roll-ground/roll-ground.ts'

const SOLOS = 8
const CROWD = 6

const pod = (app: string, more: object = {}, cpu = '20m'): object => ({
  metadata: { labels: { app } },
  spec: {
    containers: [appContainer({}, { resources: { requests: { cpu, memory: '16Mi' } } })],
    terminationGracePeriodSeconds: 1,
    ...more,
  },
})

const selected = (app: string): object => ({ selector: { matchLabels: { app } } })

/** Deployments of one pod each, which have no reason to be on one node rather than another. */
const soloDeployments = (): readonly object[] =>
  Array.from({ length: SOLOS }, (_, i) => {
    const app = `solo-${i + 1}`
    const spec = { replicas: 1, ...selected(app), template: pod(app) }
    return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: app, namespace: 'default' }, spec }
  })

/** Pods of one node alone, so that the scheduler takes every other node for the better one. */
const crowd = (node: string): readonly object[] =>
  Array.from({ length: CROWD }, (_, i) => {
    const app = `crowd-${i + 1}`
    const spec = {
      ...selected(app),
      template: pod(app, { nodeSelector: { 'kubernetes.io/hostname': node } }, '100m'),
    }
    return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: app, namespace: 'default' }, spec }
  })

/** First the pods that move, so that each node has some of them; then the ones that make `node` the fullest. */
export const pressedPods = (node: string): readonly (readonly object[])[] => [soloDeployments(), crowd(node)]

const paths = (kind: string, name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `/apis/apps/v1/namespaces/default/${kind}/${name}-${i + 1}`)

/** Of all of them, to take them away again. */
export const pressedPaths = [...paths('deployments', 'solo', SOLOS), ...paths('daemonsets', 'crowd', CROWD)]

interface MovedRoll {
  readonly code: number | null
  readonly story: string
  /** How often a pod of a Deployment of one pod was moved. */
  readonly moves: number
  /** Nodes that bore the mark of the roll at some moment. */
  readonly marked: readonly string[]
}

const SOLO = /^default\/solo-/

/** A roll of every node, and how often the pods of Deployments of one pod were moved by it. */
export async function movedRoll(ground: RollGround, spec: Spec): Promise<MovedRoll> {
  const roll = await ground.roll(spec)
  const { code, story } = await roll.ended()
  const events = roll.events.filter((event) => event.type === 'pod.moved' || event.type === 'write')
  return {
    code,
    story,
    moves: events.filter((event) => event.type === 'pod.moved' && SOLO.test(event.pod)).length,
    marked: events
      .flatMap((event) => (event.type === 'write' && event.action === 'markToCome' && event.ok ? [event.node] : []))
      .toSorted(),
  }
}
