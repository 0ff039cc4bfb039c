import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const all = '  nodes: {all: true}'
const withLock = (lock: string): string => rollYaml(all, `  reboot: {kuredLock: ${lock}}`)

test('the lock of kured is taken only where the file asks for it, of its own DaemonSet unless another one is named', () => {
  assert.equal(load(rollYaml(all)).reboot.kuredLock, undefined)
  assert.deepEqual(load(withLock('{}')).reboot.kuredLock, { namespace: 'kube-system', name: 'kured' })
  assert.deepEqual(load(withLock('{namespace: ops, daemonSet: kured-2}')).reboot.kuredLock, {
    namespace: 'ops',
    name: 'kured-2',
  })
})

const REFUSED: readonly (readonly [lock: string, code: string, says: RegExp])[] = [
  ['true', 'config.type', /kuredLock/],
  ['{name: kured}', 'config.unknown-field', /spec\.reboot\.kuredLock has: namespace, daemonSet/],
  ['{daemonSet: Kured}', 'config.value', /lower-case letters, digits/],
  ['{daemonSet: ""}', 'config.value', /lower-case letters, digits/],
  ['{namespace: a/b}', 'config.value', /lower-case letters, digits/],
  ['{namespace: 7}', 'config.type', /namespace/],
]

for (const [lock, code, says] of REFUSED)
  test(`kuredLock: ${lock} is refused, with the place in the file`, () => {
    const finding = onlyFinding(withLock(lock))
    assert.ok(finding.includes(`(${code})`), finding)
    assert.match(finding, / --> roll\.yaml:6:/)
    assert.match(finding, says)
  })
