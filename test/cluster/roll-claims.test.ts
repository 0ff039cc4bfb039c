import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plainText } from '../../src/ground/model/sentence.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { AgentBed } from '../support/agent-bed/agent-bed.ts'
import { FRONT_BY_SOCKET, haproxyBySocket, statesOf, untilUp } from '../support/agent-bed/by-socket.ts'
import { frontOf } from '../support/agent-bed/check-backends.ts'
import { DATA_PORT } from '../support/agent-bed/node-ingress.ts'
import { agentProcess } from '../support/agent-install/agent-process.ts'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { paste } from '../support/roll-bed/paste.ts'
import { rollFile } from '../support/roll-bed/roll-file.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = { ...requires('testbed', 'helm', 'haproxy'), timeout: 400_000 }

let opened: AgentBed | undefined
const place = (): AgentBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await AgentBed.open()
  await opened.serve('hostNetwork', 'hostNetwork')
})
after(async () => opened?.close())

type Haproxy = Awaited<ReturnType<AgentBed['haproxy']>>

const NODE = 'n2'
const FRONT_BY_CHECKS = 0
/** Far longer than a node that is proved needs until it is attached. */
const KEPT_S = 10

/** The line of `docs/agent.md` that adds a claim beside those that stand, for that node. */
function claimOnPage(): string {
  const page = readFileSync(new URL('../../docs/agent.md', import.meta.url), 'utf8')
  const line = page
    .split('\n')
    .find((text) => text.startsWith('kubectl get node n1 -o json | jq') && text.includes('+='))
  assert.ok(line, 'docs/agent.md shows no line that claims beside others')
  return line.replaceAll('node n1', `node ${NODE}`)
}

/** The line that the roll prints for the owner that it waits for. */
function withdrawalIn(held: StampedEvent): string {
  const reasons = held.type === 'hold.started' || held.type === 'hold.changed' ? held.reasons : []
  const next = plainText(reasons.find(({ code }) => code === 'ClaimedByOthers')?.next ?? '')
  const [, line] = /^once person\/alice [^:]*: (kubectl .*)$/s.exec(next) ?? []
  assert.ok(line, `no line to paste: ${next}`)
  return line
}

/** When a balancer sent to the node, from now on: looks at each of them ten times a second. */
class SentTo {
  readonly #over = new AbortController()
  readonly #watching: Promise<readonly string[]>
  looks = 0

  constructor(lbs: readonly Haproxy[]) {
    this.#watching = this.#watch(lbs)
    this.#watching.catch(() => undefined)
  }

  stop(): Promise<readonly string[]> {
    this.#over.abort()
    return this.#watching
  }

  async #watch(lbs: readonly Haproxy[]): Promise<readonly string[]> {
    const sent: string[] = []
    while (!this.#over.signal.aborted) {
      for (const { name, state, up } of (await Promise.all(lbs.map(statesOf))).flat())
        if (name.endsWith(`/${NODE}`) && up && state === 'ready') sent.push(name)
      this.looks += 1
      await pause(100)
    }
    return sent
  }
}

function file(socket: string): string {
  const { bed } = place()
  const path = join(mkdtempSync(join(bed.dir, 'roll-')), 'roll.yaml')
  const healthEndpoint = { dataPort: DATA_PORT, checks: { interval: '1s', fall: 3, rise: 2 } }
  const spec = {
    nodes: { names: [NODE] },
    balancers: [
      { name: 'edge', healthEndpoint },
      { name: 'lb', instances: [{ name: 'lb-1', socket }], backends: ['web'] },
    ],
    detach: { idleLimit: '5s' },
    drain: {},
    soak: '1s',
    baseline: { duration: '1s' },
  }
  const urls = [frontOf(FRONT_BY_CHECKS), frontOf(FRONT_BY_SOCKET)]
  writeFileSync(path, rollFile({ socket, sshConfig: bed.sshConfig, urls, rate: 20, spec }))
  return path
}

/** The agent of the node is killed, and the kubelet has started another one. */
async function killAgent(): Promise<void> {
  const { bed, place: install } = place()
  const { pid } = await agentProcess(install, NODE)
  await bed.exec(NODE, ['kill', '-9', String(pid)])
  await waitFor({ what: `another agent on ${NODE}`, limitMs: 60_000, everyMs: 100 }, async () => {
    const now = await agentProcess(install, NODE).catch(() => undefined)
    return now === undefined || now.pid === pid ? undefined : true
  })
}

/** A person claims the node that a roll has out; the roll and the agent are killed while both claims stand. */
async function claimed(path: string, lbs: readonly Haproxy[]): Promise<number> {
  const { bed } = place()
  const roll = place().roll('-f', path, '--yes')
  await roll.untilStep('reboot', NODE)
  await paste(claimOnPage(), { kubeconfig: bed.kubeconfig })
  const sentTo = new SentTo(lbs)
  roll.kill('SIGKILL')
  await roll.ended()
  const resumed = place().roll('resume')
  const held = await resumed.untilHeld('ClaimedByOthers', `person/alice keeps ${NODE} out`)
  await killAgent()
  await resumed.seconds(KEPT_S)
  assert.deepEqual(await sentTo.stop(), [])
  // The line has the kubeconfig of the roll, which reaches the API server from within the bed alone.
  await paste(withdrawalIn(held), { kubeconfig: bed.kubeconfig, enter: (argv) => bed.enter(argv) })
  const { code, stderr, stdout } = await resumed.ended()
  assert.equal(code, 0, `${stderr}\n${stdout.slice(-2000)}`)
  for (const lb of lbs) await untilUp(lb, NODE, true)
  return sentTo.looks
}

async function rolledWhileClaimed(say: (text: string) => void) {
  const { bed } = place()
  const byChecks = await place().haproxy({ dialects: ['plain'], closes: true })
  const bySocket = await haproxyBySocket(bed)
  const boots = new BootCounter(bed)
  for (const node of bed.nodes) await untilUp(bySocket, node, true)
  const judges = [FRONT_BY_CHECKS, FRONT_BY_SOCKET].map((front) => place().judge(front, 30))
  try {
    const looks = await claimed(file(bySocket.socket), [byChecks, bySocket])
    const verdicts = await Promise.all(judges.map((judge) => judge.verdict()))
    assert.deepEqual(await boots.stop(), { n1: 0, n2: 1, n3: 0 })
    const sum = (of: (verdict: (typeof verdicts)[number]) => number): number =>
      verdicts.reduce((total, verdict) => total + of(verdict), 0)
    const [failedRequests, sentRequests] = [sum((each) => each.failedRequests), sum((each) => each.sentRequests)]
    say(`${looks} looks; ${failedRequests} of ${sentRequests} requests failed`)
    return {
      failedRequests,
      sentRequests,
      skippedRequests: sum((each) => each.skippedRequests),
      windows: verdicts.flatMap(({ windows }) => windows),
    }
  } finally {
    for (const judge of judges) judge.kill('SIGKILL')
    await boots.stop()
    await bySocket.kill()
    await byChecks.kill()
  }
}

test(
  'a node that a roll and a person have claimed comes back with the last of them only, by a socket and by an agent, though the roll and the agent are killed in between; the lines that are pasted are those of the page and of the roll',
  real,
  async (t) => {
    const judged = await unlessVoid(t, () => rolledWhileClaimed((text) => t.diagnostic(text)))
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  },
)
