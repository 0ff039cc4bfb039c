import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { WHOAMI_PORT } from '../../src/sim/cluster/article-workloads.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { HOSTS, type HostName, type PairSite } from '../support/real-pair/pair-files.ts'
import { RealPair } from '../support/real-pair/real-pair.ts'
import { requires } from '../support/requires.ts'
import { askSocket } from '../support/roll-bed/ask-socket.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { type ServerState, serversOf } from '../support/roll-ground/servers-of.ts'
import { story } from '../support/roll-ground/story.ts'

const RUNS = 5
const PER_SECOND = 200
const NODES = 4

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

/** On the network of the nodes, with the checks of the article. */
const siteOf = (nodes: readonly string[]): PairSite => ({
  hosts: { 'lb-1': '10.77.0.201', 'lb-2': '10.77.0.202' },
  virtualAddress: '10.77.0.200',
  sections: `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 10s
  option httpchk GET /readyz
  default-server check inter 2s fall 3 rise 2
frontend shop
  bind :80
  default_backend web
backend web
  balance roundrobin
${nodes.map((address, index) => `  server n${index + 1} ${address}:${WHOAMI_PORT}`).join('\n')}
`,
})

const socketOf = (pair: RealPair, host: HostName): string => join(pair.root, host, 'admin.sock')

const serversAt = (pair: RealPair, host: HostName): Promise<readonly ServerState[]> =>
  serversOf({ balancer: (line) => askSocket(socketOf(pair, host), line) })

/** Every server is up and in service on both machines, and the address is on the first one. */
async function whole(pair: RealPair): Promise<void> {
  await pair.settled()
  await waitFor({ what: 'every server of the pair to be up', limitMs: 60_000, everyMs: 100 }, async () => {
    const states = (await Promise.all(HOSTS.map((host) => serversAt(pair, host)))).flat()
    const serving = states.filter(({ up, state }) => up && state === 'ready')
    return serving.length === HOSTS.length * NODES ? true : undefined
  })
}

function fileFor(pair: RealPair, url: string): string {
  const sshConfig = join(pair.root, 'all_ssh_config')
  // The first value counts, and what the bed says is said of every host.
  const files = [join(pair.root, 'ssh_config'), bed().bed.sshConfig]
  writeFileSync(sshConfig, files.map((file) => readFileSync(file, 'utf8')).join('\n'))
  const instances = HOSTS.map((host) => ({ name: host, socket: socketOf(pair, host) }))
  const spec = {
    balancers: [{ name: 'edge', instances, backends: ['web'] }],
    reboot: {
      ssh: { configFile: sshConfig, command: ['systemctl', 'reboot'] },
      resendAfter: '20s',
      returnLimit: '90s',
    },
    hosts: {
      pairs: [
        {
          name: 'edge',
          addresses: [pair.site.virtualAddress],
          trackFile: { path: join(pair.root, 'me', 'run', 'away'), away: 1 },
          holdConnections: { ports: [80] },
          connectionsLimit: '10s',
          machines: HOSTS.map((host) => ({ name: host, instances: [host] })),
        },
      ],
    },
    probes: [{ name: 'front', url, rate: 20, keptShare: 0 }],
  }
  return bed().file({ spec })
}

/** All nodes, then both machines, while another person reloads one HAProxy and the other one is killed. */
async function rollsEverything(t: TestContext): Promise<void> {
  const { network, nodes } = bed().bed
  const site = siteOf(nodes.map((node) => bed().bed.nodeAddress(node)))
  const pair = await RealPair.start(t, { wire: { network, bridge: 'hub' }, site })
  await Promise.all([whole(pair), bed().settled()])
  const url = `http://${site.virtualAddress}/`
  const judge = bed().judge(url, { keptShare: 0 })
  const boots = new BootCounter(bed().bed)
  const roll = bed().roll('-f', fileFor(pair, url), '--yes')
  // A run that fails leaves no traffic behind for the next one.
  t.after(() => [judge, roll].map((process) => process.kill('SIGKILL')))
  const [, second = '', third = ''] = await started(roll)
  await roll.untilStep('drain', second)
  pair.reloadHaproxy('lb-1')
  await roll.untilStep('reboot', third)
  await pair.killHaproxy('lb-2')
  const { code, stderr } = await roll.ended()
  const [judged, booted] = await Promise.all([judge.verdict(), boots.stop()])
  const { failedRequests, sentRequests, skippedRequests } = judged
  const end = roll.events.findLast((event) => event.type === 'roll.ended')
  t.diagnostic(
    `${failedRequests} of ${sentRequests} requests failed, ${skippedRequests} skipped; ${end?.load?.strays} strays; ` +
      `${pair.boots.join('; ')}`,
  )
  assert.equal(code, 0, `${stderr}\n${story(roll.events)}`)
  assert.deepEqual([failedRequests, judged.windows], [0, []], story(roll.events))
  assert.equal(end?.load?.strays, 0)
  assert.deepEqual(booted, Object.fromEntries(nodes.map((node) => [node, 1])))
  assert.deepEqual(pair.boots, ['lb-1 with the address on lb-2', 'lb-2 with the address on lb-1'])
  await whole(pair)
  assert.deepEqual(await leftoversOf(bed()), [])
}

async function started(roll: ReturnType<RollBed['roll']>): Promise<readonly string[]> {
  const event = await roll.until('its plan', ({ type }) => type === 'roll.started')
  assert.ok(event.type === 'roll.started')
  return event.nodes
}

describeAtNight(
  'a cluster with its control plane on nodes, behind a pair of HAProxy and keepalived',
  requires('testbed', 'haproxy', 'keepalived', 'ssh'),
  () => {
    before(async () => {
      opened = await RollBed.open({ nodes: NODES, stacked: true, fast: true, judgeRate: PER_SECOND, database: false })
    })
    after(() => opened?.close())

    for (let run = 1; run <= RUNS; run += 1) {
      atNight(
        `run ${run}: nodes and machines are rebooted beside a reload and a kill, without one failed request at ${PER_SECOND} a second`,
        { timeout: 600_000 },
        rollsEverything,
      )
    }
  },
)
