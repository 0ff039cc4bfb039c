import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonPatch } from '../../../src/ground/model/json-patch.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { FleetLockHost } from '../../../src/roll/run/fleet-lock-host.ts'
import { INTENT_ANNOTATION, REQUEST_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { parseRebootRequest } from '../../../src/service/model/parse-node-record.ts'
import { aNode } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'
const OTHER = '8d3c0c8b-0000-4000-8000-000000000002'
const RUN = '20260101-000000-abcd'
const intent = (bootId: string) => JSON.stringify({ version: 1, run: RUN, bootId, at: 'then' })
const request = (more: object) =>
  JSON.stringify({ version: 1, run: RUN, bootId: BOOT, id: '00000000aaaaaaaa', ...more })
const never = new AbortController().signal

/** The answer, and what was written. */
async function asked(node: Node | undefined, failure?: WorldError): Promise<readonly [string, readonly object[]]> {
  const written: object[] = []
  const patchNode = async (_: string, patch: JsonPatch): Promise<Node> => {
    if (failure !== undefined) throw failure
    const last = patch.at(-1)
    const parsed = parseRebootRequest(String(last !== undefined && 'value' in last && last.value))
    assert.ok(parsed.ok && node !== undefined)
    const { id: _id, ...rest } = parsed.value
    written.push(rest)
    return node
  }
  const host = new FleetLockHost({
    cluster: { readNode: async () => node, patchNode },
    random: new SeededRandom(1),
    ownBootId: async () => undefined,
  })
  const { kind } = await host.reboot({ node: 'n1', address: '' }, BOOT, never)
  return [kind, written]
}

const nodeWith = (annotations: Readonly<Record<string, string>>, bootId = BOOT): Node =>
  aNode('n1', { bootId, annotations })
const ANNOUNCED = { [INTENT_ANNOTATION]: intent(BOOT) }
const LEAVE = { version: 1, run: RUN, bootId: BOOT, by: 'fleetLock' }

test('the Node says that its machine may reboot, once, and only for the boot whose reboot is announced', async () => {
  assert.deepEqual(await asked(nodeWith(ANNOUNCED)), ['sent', [LEAVE]])
  const said = nodeWith({ ...ANNOUNCED, [REQUEST_ANNOTATION]: request({ by: 'fleetLock' }) })
  assert.deepEqual(await asked(said), ['sent', []])
  const toRebooter = nodeWith({ ...ANNOUNCED, [REQUEST_ANNOTATION]: request({}) })
  assert.deepEqual(await asked(toRebooter), ['sent', [LEAVE]])
  const ofOtherBoot = nodeWith({ ...ANNOUNCED, [REQUEST_ANNOTATION]: request({ by: 'fleetLock', bootId: OTHER }) })
  assert.deepEqual(await asked(ofOtherBoot), ['sent', [LEAVE]])
  assert.deepEqual(await asked(nodeWith({})), ['refused', []])
  assert.deepEqual(await asked(nodeWith({ [INTENT_ANNOTATION]: intent(OTHER) })), ['refused', []])
  assert.deepEqual(await asked(nodeWith(ANNOUNCED, OTHER)), ['otherBoot', []])
  assert.deepEqual(await asked(undefined), ['refused', []])
})

test('what the API server does not take is no leave', async () => {
  const failed = (code: string) => new WorldError('no', { code, retry: 'backoff' })
  assert.deepEqual(await asked(nodeWith(ANNOUNCED), failed('KUBE_CONFLICT')), ['unsent', []])
  assert.deepEqual(await asked(nodeWith(ANNOUNCED), failed('KUBE_FORBIDDEN')), ['refused', []])
})
