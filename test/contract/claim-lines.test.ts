import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import { plainText } from '../../src/ground/model/sentence.ts'
import { serviceOf } from '../../src/roll/decide/service-of.ts'
import { claimedByOthers } from '../../src/service/decide/node-claims.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { ensureBuilt } from '../../testbed/build.ts'
import { LoopbackApi } from '../support/loopback-api.ts'
import { requires } from '../support/requires.ts'
import { aSnapshot } from '../support/roll-world.ts'
import { smallWorld } from './doors/small-world.ts'

const page = readFileSync(new URL('../../docs/agent.md', import.meta.url), 'utf8')
/** The section on claims, line by line. */
const LINES =
  (page.split('## Claims\n')[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .map((line) => line.trim()) ?? []
const lineWith = (part: string): string =>
  LINES.find((line) => line.startsWith('kubectl ') && line.includes(part)) ??
  assert.fail(`there is no line with ${part}`)

describe('the lines by which people claim a node', requires('testbed', 'jq'), () => {
  const { world, close } = smallWorld()
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
  const api = new LoopbackApi(world, folder)
  let programs = ''

  before(async () => {
    await api.back()
    programs = (await ensureBuilt(() => undefined)).programs
  })
  after(() => {
    api.away()
    close()
    rmSync(folder, { recursive: true })
  })

  /** The bed has kubectl as a part of another program. */
  async function typed(line: string): Promise<{ readonly code: number | null; readonly said: string }> {
    const env = { ...process.env, KUBECONFIG: api.kubeconfig, KUBE: join(programs, 'kube') }
    const child = spawn('sh', ['-c', `kubectl() { "$KUBE" kubectl "$@"; }; ${line}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
    })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += String(chunk)
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, said }
  }
  const codeOf = async (line: string): Promise<number | null> => (await typed(line)).code
  const text = (): string | undefined =>
    world.store.get(NODES, { name: 'n1' })?.metadata.annotations?.[MAINTENANCE_ANNOTATION]
  const owners = (): readonly string[] => claimsOf(text()).map(({ owner }) => owner)
  const [claim, add, withdraw, withdrawOne] = [
    lineWith('annotate node n1 evenkeel.dev/maintenance='),
    lineWith('.claims+='),
    lineWith('evenkeel.dev/maintenance-'),
    lineWith('.claims|='),
  ]

  test('work when they are pasted, and spoil no claim of another owner', async () => {
    assert.deepEqual([await codeOf(claim.replaceAll('alice', 'bob')), owners()], [0, ['person/bob']])
    assert.deepEqual([await codeOf(claim), owners()], [1, ['person/bob']], 'kubectl writes over nothing')
    assert.deepEqual([await codeOf(add), owners()], [0, ['person/alice', 'person/bob']])
    assert.deepEqual([await codeOf(withdrawOne), owners()], [0, ['person/bob']])
    assert.deepEqual([await codeOf(withdraw), text()], [0, undefined])
  })

  test('change nothing where a roll of the last release has asked', async () => {
    const request = '{"version":1,"id":"a1","run":"run-1","at":"2026-01-01T00:00:00.000Z"}'
    assert.equal(await codeOf(`kubectl annotate node n1 evenkeel.dev/maintenance='${request}'`), 0)
    for (const line of [claim, add, withdrawOne])
      assert.match((await typed(line)).said, /not version 2|already has a value/)
    assert.equal(text(), request)
    assert.equal(await codeOf(withdraw), 0)
  })

  test('are shown by a roll that waits for an owner, whatever that owner wrote', async () => {
    const why = 'it\'s $(id) \\"here\\"'
    const claims = `[{"owner":"guard/storage","id":"1","why":"${why}"},{"owner":"person/alice","id":"disk"}]`
    const value = `{"version":2,"claims":${claims}}`
    assert.equal(
      await codeOf(`kubectl annotate node n1 evenkeel.dev/maintenance='${value.replaceAll("'", "'\\''")}'`),
      0,
    )
    const s = aSnapshot({ node: { annotations: { [MAINTENANCE_ANNOTATION]: text() ?? '' } } })
    const reason = claimedByOthers(serviceOf(s)).find(({ text: said }) => said.startsWith('person/alice'))
    const shown = plainText(reason?.next ?? '')
    assert.deepEqual([await codeOf(shown.replace(/^.*?: /, '')), owners()], [0, ['guard/storage']])
    assert.notEqual(await codeOf(shown.replace(/^.*?: /, '')), 0, 'the claims are not those that were read')
  })
})
