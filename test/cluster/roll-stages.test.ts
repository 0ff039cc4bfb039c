import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { requires } from '../support/requires.ts'
import { Attacher } from '../support/roll-bed/attacher.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'

const real = { ...requires('testbed'), timeout: 300_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true })
})
after(async () => opened?.close())

interface Audited {
  readonly verb: string
  readonly stage: string
  readonly stageTimestamp: string
  readonly requestReceivedTimestamp: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly name?: string }
  readonly responseStatus?: { readonly code?: number }
}

test('pods with volumes are gone and their volumes detached before any other pod is evicted', real, async () => {
  const attacher = await Attacher.start(bed().bed)
  const node = await attacher.nodeWithVolume()
  const roll = bed().roll('-f', bed().file({ spec: { nodes: { names: [node] } } }), '--yes')
  const end = await roll.ended()
  await attacher.stop()
  assert.equal(end.code, 0, `${end.stderr}\n${end.stdout.slice(-2000)}`)

  const lines = readFileSync(bed().bed.auditLog, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Audited)
  const evictions = lines.filter(
    ({ objectRef, responseStatus }) => objectRef?.subresource === 'eviction' && responseStatus?.code === 201,
  )
  const first = evictions.filter(({ objectRef }) => objectRef?.name?.startsWith('db-'))
  const others = evictions.filter(({ objectRef }) => objectRef?.name?.startsWith('db-') === false)
  const detached = lines.filter(
    ({ verb, objectRef }) => verb === 'delete' && objectRef?.resource === 'volumeattachments',
  )
  assert.ok(first.length > 0 && others.length > 0 && detached.length > 0, 'both stages had something to do')
  const lastOfFirst = Math.max(
    ...[...first, ...detached].map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp)),
  )
  const firstOfOthers = Math.min(...others.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp)))
  assert.ok(
    lastOfFirst < firstOfOthers,
    `${new Date(lastOfFirst).toISOString()} < ${new Date(firstOfOthers).toISOString()}`,
  )
})
