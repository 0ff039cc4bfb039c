import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { imageOnBed } from '../support/image-on-bed.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import type { RollProcess } from '../support/roll-bed/roll-process.ts'

const real = { ...requires('testbed', 'strip'), timeout: 300_000 }
const IMAGE = 'evenkeel.local/evenkeel:0.1.0'
const RBAC = readFileSync(new URL('../../deploy/roll-dns-rbac.yaml', import.meta.url), 'utf8')
const USER = 'system:serviceaccount:evenkeel:evenkeel-roll'
/** On every node: from pods to pods, and from the node to its own. */
const TO_DNS = ['FORWARD', 'OUTPUT'].map((chain) => [chain, '-p', 'udp', '--dport', '53', '-j', 'DROP'])

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await RollBed.open({ fast: true, judgeRate: RATE_BESIDE_OTHERS, database: false })
  await opened.bed.apply(RBAC)
  await imageOnBed(opened.bed, IMAGE)
})
after(async () => opened?.close())

async function mustExec(node: string, argv: readonly string[]): Promise<void> {
  const { code, stderr } = await bed().bed.exec(node, argv)
  assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
}

/** To every pod of DNS, or to the one at that address. */
async function onEachNode(flag: '-I' | '-D', address?: string): Promise<void> {
  const to = address === undefined ? [] : ['-d', address]
  for (const node of bed().bed.nodes)
    for (const [chain = '', ...rest] of TO_DNS) await mustExec(node, ['iptables', '-w', flag, chain, ...to, ...rest])
}

const rolled = (...names: readonly string[]): RollProcess =>
  bed().roll('-f', bed().file({ spec: { nodes: { names }, dns: { image: IMAGE } } }), '--yes')

async function endsWell(roll: RollProcess): Promise<void> {
  const { code, stderr, stdout } = await roll.ended()
  assert.equal(code, 0, `${stderr}\n${stdout.slice(-2_000)}`)
  assert.deepEqual(await bed().leftovers(), [])
  assert.deepEqual(await bed().list('/apis/batch/v1/namespaces/evenkeel/jobs'), [])
}

atNight('a roll waits while UDP of one pod of DNS is dead and its TCP alive', real, async () => {
  const words = [
    'get',
    'pods',
    '-n',
    'kube-system',
    '-l',
    'k8s-app=kube-dns',
    '-o',
    'jsonpath={.items[0].status.podIP}',
  ]
  const address = (await bed().bed.kubectl(words)).trim()
  await onEachNode('-I', address)
  let isFiltered = true
  const roll = rolled('n2')
  try {
    await roll.untilHeld('DnsIll', 'UdpDead')
    assert.deepEqual(roll.written('cordon'), [])
    await onEachNode('-D', address)
    isFiltered = false
    await endsWell(roll)
  } finally {
    if (isFiltered) await onEachNode('-D', address)
  }
})

test('a roll waits while UDP to DNS is dropped, and goes on afterwards', real, async () => {
  await onEachNode('-I')
  let isFiltered = true
  const judge = bed().judge()
  const roll = rolled('n2', 'n3')
  try {
    await roll.untilHeld('DnsIll', 'UdpDropped')
    assert.deepEqual(roll.written('cordon'), [])
    await onEachNode('-D')
    isFiltered = false
    await endsWell(roll)
  } finally {
    if (isFiltered) await onEachNode('-D')
  }
  const { failedRequests, windows } = await judge.verdict()
  assert.deepEqual([failedRequests, windows], [0, []])
  const lines = readFileSync(bed().bed.auditLog, 'utf8').split('\n')
  assert.deepEqual(
    refusedRequests(
      lines.filter((line) => line !== ''),
      USER,
    ),
    [],
  )
})

/** kube-proxy reads it when it starts: one that runs does not miss it. */
const CREDENTIALS = '/etc/kubernetes/kube-proxy.kubeconfig'

atNight('a node whose kube-proxy does not start is not attached before it does', real, async () => {
  await bed().settled()
  await mustExec('n2', ['mv', CREDENTIALS, `${CREDENTIALS}.away`])
  const roll = rolled('n2')
  await roll.untilStep('settle', 'n2')
  await roll.untilHeld('DnsNotReady', 'n2')
  const [server] = (await bed().servers()).filter(({ name }) => name.endsWith('n2'))
  assert.notEqual(server?.state, 'ready')
  await mustExec('n2', ['mv', `${CREDENTIALS}.away`, CREDENTIALS])
  await endsWell(roll)
})
