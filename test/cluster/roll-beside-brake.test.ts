import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { WHOAMI_PORT } from '../../src/sim/cluster/article-workloads.ts'
import { AgentBed } from '../support/agent-bed/agent-bed.ts'
import { FRONT_BY_SOCKET, haproxyBySocket, statesOf, untilUp } from '../support/agent-bed/by-socket.ts'
import { frontOf } from '../support/agent-bed/check-backends.ts'
import { requires } from '../support/requires.ts'
import { askSocket } from '../support/roll-bed/ask-socket.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { rollFile } from '../support/roll-bed/roll-file.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = { ...requires('testbed', 'helm', 'haproxy'), timeout: 300_000 }

let opened: AgentBed | undefined
const place = (): AgentBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await AgentBed.open()
  await opened.serve('hostNetwork', 'hostNetwork', ['controller.enabled=true'])
})
after(async () => opened?.close())

type Haproxy = Awaited<ReturnType<AgentBed['haproxy']>>

/** Which nodes the API server and HAProxy say the roll has touched. */
async function touched(lb: Haproxy): Promise<readonly string[]> {
  const { bed } = place()
  const nodes = JSON.parse(await bed.kubectl(['get', 'nodes', '-o', 'json'])).items as readonly {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  }[]
  const recorded = nodes.filter(({ metadata }) => 'evenkeel.dev/record' in (metadata.annotations ?? {}))
  const detached = (await statesOf(lb)).filter(({ state }) => state !== 'ready')
  return [...recorded.map(({ metadata }) => metadata.name), ...detached.map(({ name }) => name)]
}

async function rolledBeside(say: (text: string) => void) {
  const { bed } = place()
  const byChecks = await place().haproxy({ dialects: ['plain'] })
  const bySocket = await haproxyBySocket(bed)
  const ask = (line: string) => askSocket(bySocket.socket, line)
  const judge = place().judge(FRONT_BY_SOCKET, 50)
  const boots = new BootCounter(bed)
  try {
    for (const node of bed.nodes) await untilUp(bySocket, node, true)
    await bed.kubectl(['cordon', 'n1'])
    await untilUp(byChecks, 'n1', false)

    const path = join(mkdtempSync(join(bed.dir, 'roll-')), 'roll.yaml')
    const balancers = [{ name: 'lb', instances: [{ name: 'lb-1', socket: bySocket.socket }], backends: ['web'] }]
    const spec = { nodes: { names: ['n2'] }, balancers, drain: {}, soak: '1s', baseline: { duration: '1s' } }
    const facts = { socket: bySocket.socket, sshConfig: bed.sshConfig, urls: [frontOf(FRONT_BY_SOCKET)], rate: 20 }
    writeFileSync(path, rollFile({ ...facts, spec }))
    const roll = place().roll('-f', path, '--yes')
    await roll.untilHeld('OtherNodeBad', 'n1 is cordoned, and its cordon is granted')
    await roll.seconds(3)
    assert.deepEqual(await touched(bySocket), [])

    // Its checks alone fail now: HAProxy asks them at a port where nothing listens.
    await ask('set server web/n3 check-port 1')
    await untilUp(bySocket, 'n3', false)
    await bed.kubectl(['uncordon', 'n1'])
    await roll.untilHeld('OtherNodeBad', 'n3 is down by the checks of every balancer')
    await roll.seconds(3)
    assert.deepEqual(await touched(bySocket), [])

    await ask(`set server web/n3 check-port ${WHOAMI_PORT}`)
    const { code, stderr, stdout } = await roll.ended()
    const judged = await judge.verdict()
    assert.equal(code, 0, `${stderr}\n${stdout.slice(-2000)}`)
    assert.deepEqual(await boots.stop(), { n1: 0, n2: 1, n3: 0 })
    assert.deepEqual(await touched(bySocket), [])
    say(`${judged.failedRequests} of ${judged.sentRequests} requests failed`)
    return judged
  } finally {
    judge.kill('SIGKILL')
    await boots.stop()
    await bySocket.kill()
    await byChecks.kill()
  }
}

test(
  'a node that a granted cordon has out behind checks, and one that is down by its own checks, are counted by a roll that goes by a socket: it takes no second one, says why, and goes on when they are back',
  real,
  async (t) => {
    const judged = await unlessVoid(t, () => rolledBeside((text) => t.diagnostic(text)))
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  },
)
