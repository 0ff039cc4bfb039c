import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { requires } from '../support/requires.ts'
import {
  fileOnBed,
  installController,
  objectOnPage,
  refusedToController,
} from '../support/roll-bed/controller-on-bed.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { NAMESPACE, sshFiles } from '../support/roll-bed/roll-job.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const real = { ...requires('testbed', 'haproxy', 'strip'), timeout: 900_000 }
const SSH = '/etc/evenkeel/ssh'
const VALUES = [
  ...['rolls.sshSecret=evenkeel-roll-ssh', `rolls.allowed[0]=${SSH}/config`],
  ...['rolls.allowed[1][0]=systemctl', 'rolls.allowed[1][1]=reboot'],
]

let opened: RollBed | undefined
const place = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await RollBed.open({ database: false })
  const secrets = { 'evenkeel-roll-ssh': sshFiles(opened.bed, SSH) }
  await installController(opened, { ssh: true, values: VALUES, secrets })
})
after(() => opened?.close())

/** The Roll of docs/rolls.md, with the names and addresses of this bed. */
function roll(name: string, more: object = {}): object {
  const object = objectOnPage('rolls.md', 'Roll')
  return {
    ...object,
    metadata: { ...object.metadata, name },
    spec: {
      ...fileOnBed(object.spec),
      reboot: { ssh: { configFile: `${SSH}/config`, command: ['systemctl', 'reboot'] } },
      ...more,
    },
  }
}

interface Status {
  readonly state?: string
  readonly message?: string
  readonly nodesDone?: number
  readonly nodesTotal?: number
  readonly requestsFailed?: number
  readonly nodes?: readonly { readonly name: string; readonly step?: string }[]
}

async function statusOf(name: string): Promise<Status> {
  const { status = {} } = JSON.parse(await place().bed.kubectl([...NAMESPACE, 'get', 'roll', name, '-o', 'json'])) as {
    readonly status?: Status
  }
  return status
}

const until = (what: string, name: string, is: (status: Status) => boolean): Promise<Status> =>
  waitFor({ what, limitMs: 600_000, everyMs: 500 }, async () => {
    const status = await statusOf(name)
    return is(status) ? status : undefined
  })

const patch = (name: string, spec: object): Promise<string> =>
  place().bed.kubectl([...NAMESPACE, 'patch', 'roll', name, '--type=merge', '-p', JSON.stringify({ spec })])

test(
  'a Roll that is applied reboots each node once under traffic, paused and approved on the way, and loses no request',
  real,
  async () => {
    const { bed } = place()
    const ground = new RealGround(place)
    await place().settled()
    const boots = ground.countBoots()
    const judge = place().judge()
    await bed.apply([roll('kernel', { approval: 'perNode' })])
    const asks = await until('the first question', 'kernel', ({ message = '' }) =>
      / waits for an approval/.test(message),
    )
    const [first = ''] = (asks.message ?? '').split(' ')
    await patch('kernel', { approved: [first] })
    await until(
      'the second question',
      'kernel',
      ({ nodesDone, message = '' }) => nodesDone === 1 && !message.startsWith(first) && / waits for/.test(message),
    )
    await patch('kernel', { paused: true, approved: ['all'] })
    await until(
      'the pause',
      'kernel',
      ({ state, message = '' }) => state === 'Held' && message.startsWith('spec.paused is true'),
    )
    await patch('kernel', { paused: false })
    await bed.kubectl([...NAMESPACE, 'wait', 'roll/kernel', '--for=condition=Succeeded', '--timeout=600s'], {
      limitMs: 610_000,
    })
    const judged = await judge.verdict()
    const { nodesDone, nodesTotal, requestsFailed } = await statusOf('kernel')
    assert.deepEqual([nodesDone, nodesTotal, requestsFailed], [bed.nodes.length, bed.nodes.length, 0])
    assert.deepEqual(await boots.stop(), Object.fromEntries(bed.nodes.map((node) => [node, 1])))
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
    assert.deepEqual(await leftoversOf(ground), [])
  },
)

test('a Roll that is deleted while a node is drained puts that node back, and is gone then', real, async () => {
  const { bed } = place()
  const ground = new RealGround(place)
  await place().settled()
  const judge = place().judge()
  await bed.apply([roll('second')])
  await until('a node to be drained', 'second', ({ nodes = [] }) =>
    nodes.some(({ step }) => step === 'detach' || step === 'drain'),
  )
  await bed.kubectl([...NAMESPACE, 'delete', 'roll', 'second', '--timeout=300s'])
  assert.deepEqual(await leftoversOf(ground), [])
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

test(
  'a Roll with wrong fields, or with commands of its author, is stopped, and each field is named',
  real,
  async () => {
    const hooks = [{ name: 'mine', at: 'beforeNode', run: ['/bin/sh'] }]
    await place().bed.apply([roll('wrong', { soak: 'long' }), roll('hostile', { hooks })])
    const wrong = await until('the refusal', 'wrong', ({ state }) => state === 'Stopped')
    assert.equal(wrong.message, 'spec.soak: "long" is not a duration; soak: 30s')
    const hostile = await until('the refusal', 'hostile', ({ state }) => state === 'Stopped')
    assert.match(hostile.message ?? '', /^spec\.hooks\[0\]\.run: a Roll may name a command/)
  },
)

test('a schedule makes a Roll at its time', real, async () => {
  const { bed } = place()
  const { spec } = roll('x', { paused: true }) as { readonly spec: object }
  const schedule = {
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'RollSchedule',
    metadata: { name: 'often', namespace: 'evenkeel' },
    spec: { schedule: '* * * * *', template: { spec } },
  }
  await bed.apply([schedule])
  const made = await waitFor({ what: 'a Roll of the schedule', limitMs: 120_000, everyMs: 1_000 }, async () => {
    const names = await bed.kubectl([
      ...NAMESPACE,
      'get',
      'rolls',
      '-l',
      'evenkeel.dev/roll-schedule-uid',
      '-o',
      'name',
    ])
    return names.trim() === '' ? undefined : names.trim()
  })
  assert.match(made, /^roll\.evenkeel\.dev\/often-\d{12}$/)
  await bed.kubectl([...NAMESPACE, 'delete', 'rollschedule', 'often'])
})

test('the accounts of the chart were refused nothing', real, () => {
  assert.deepEqual(refusedToController(place()), [])
})
