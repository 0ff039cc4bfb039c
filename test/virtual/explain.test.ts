import assert from 'node:assert/strict'
import { DRAINS } from '../support/explain/drain-situations.ts'
import { evenkeelExplain } from '../support/explain/evenkeel-explain.ts'
import { OWNERS } from '../support/explain/owner-situations.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'

const test = simulationTest(import.meta.url)

for (const { name, arrange, state, verdict, code, evidence, next } of [...DRAINS, ...OWNERS])
  test(`explain names the cause: ${name}`, async (t) => {
    const ground = await GuardGround.open({ nodes: 3 })
    t.after(() => ground.end())
    const said = await evenkeelExplain(ground, await arrange(ground))
    assert.equal(said.code, 0, said.err)
    const { document, out } = said
    assert.match(document.verdict, verdict, out)
    assert.deepEqual([document.state, document.findings[0]?.code], [state, code], out)
    const unwrapped = out.replaceAll(/\s+/g, ' ')
    assert.ok(unwrapped.startsWith(document.verdict.replaceAll(/\s+/g, ' ')), out)
    const seen = document.findings.flatMap((one) => one.evidence)
    if (evidence !== undefined)
      assert.ok(
        seen.some((one) => evidence.test(one)),
        seen.join('\n'),
      )
    const steps = document.findings.flatMap((one) => one.next.map(({ command, note }) => command ?? note))
    if (next !== undefined) assert.match(steps[0] ?? '', next, out)
  })
