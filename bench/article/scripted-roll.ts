import { setTimeout as pause } from 'node:timers/promises'
import { type Pauses, runArticleScript, type ScriptHands } from '../../src/demo/article-script.ts'
import { askSocket } from '../../test/support/roll-bed/ask-socket.ts'
import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'

/** Ten seconds around each change of the balancer, as the article has it; 3 and 10 s where it has 30 and 300. */
export const ARTICLE_PAUSES: Pauses = {
  afterMaintMs: 10_000,
  afterBootMs: 3_000,
  afterUncordonMs: 10_000,
  beforeReadyMs: 0,
  afterReadyMs: 10_000,
}

export const NO_PAUSES: Pauses = {
  afterMaintMs: 0,
  afterBootMs: 0,
  afterUncordonMs: 0,
  beforeReadyMs: 0,
  afterReadyMs: 0,
}

interface Script {
  /** Whether HAProxy is told about each node. */
  readonly maint: boolean
  readonly pauses: Pauses
  /** `none`: each node is cordoned only. `volumesFirst`: pods with volumes leave before the others. Defaults to `all`. */
  readonly drain?: 'none' | 'all' | 'volumesFirst'
}

const BACKENDS = ['web', 'edge']
const DRAIN = ['--ignore-daemonsets', '--delete-emptydir-data']
/** As the article labels the pods of which each has a volume. */
const WITH_VOLUMES = '--pod-selector=app=db'
const DRAIN_LIMIT_S = 120
const RETURN_LIMIT_MS = 120_000
const LOOK_EVERY_MS = 500

/** The article's loop over the hosts of a real cluster, all of which carry what HAProxy sends to. */
export function runScript(bed: RollBed, { maint, pauses, drain = 'all' }: Script): Promise<void> {
  const hands: ScriptHands = {
    nodes: bed.bed.nodes,
    carriesIngress: () => true,
    drain: (node, what) => (drain === 'none' ? cordon(bed, node) : drained(bed, node, what)),
    reboot: (node) => reboot(bed, node),
    uncordon: async (node) => void (await bed.bed.kubectl(['uncordon', node])),
    setServers: (node, state) => setServers(bed, node, state),
    pause: async (ms) => void (await pause(ms)),
  }
  return runArticleScript(hands, { tellsBalancer: maint, twoSteps: drain === 'volumesFirst', pauses })
}

const cordon = async (bed: RollBed, node: string): Promise<void> => void (await bed.bed.kubectl(['cordon', node]))

async function drained(bed: RollBed, node: string, what: 'withVolumes' | 'all'): Promise<void> {
  const chosen = what === 'withVolumes' ? [WITH_VOLUMES] : []
  const words = ['drain', node, ...DRAIN, ...chosen, `--timeout=${DRAIN_LIMIT_S}s`]
  await bed.bed.kubectl(words, { limitMs: (DRAIN_LIMIT_S + 10) * 1_000 })
}

async function setServers(bed: RollBed, node: string, state: 'maint' | 'ready'): Promise<void> {
  for (const backend of BACKENDS) {
    const answer = await askSocket(bed.lb.socket, `set server ${backend}/${node} state ${state}`)
    if (answer.trim() !== '') throw new Error(`HAProxy says to ${backend}/${node} ${state}: ${answer.trim()}`)
  }
}

/** By ssh, whose connection breaks on the way; what counts is the boot id that the API shows. */
async function reboot(bed: RollBed, node: string): Promise<void> {
  const before = await shownBootId(bed, node)
  await runToEnd(bed.enter(['ssh', '-F', bed.bed.sshConfig, node, 'reboot']), { limitMs: 20_000 })
  await waitFor({ what: `a new boot id of ${node}`, limitMs: RETURN_LIMIT_MS, everyMs: LOOK_EVERY_MS }, async () => {
    const shown = await shownBootId(bed, node)
    return shown === before ? undefined : shown
  })
}

const shownBootId = (bed: RollBed, node: string): Promise<string> =>
  bed.bed.kubectl(['get', 'node', node, '-o', 'jsonpath={.status.nodeInfo.bootID}'])
