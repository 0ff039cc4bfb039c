import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressText, instanceNames, parseAddress } from '../../../../src/explain/decide/init/instance-address.ts'

const FORMS: readonly (readonly [text: string, name: string])[] = [
  ['/run/haproxy/admin.sock', 'lb-1'],
  ["/run/my lb's/admin.sock", 'lb-1'],
  ['10.0.0.5:9999', '10.0.0.5'],
  ['lb.example.com:9999', 'lb.example.com'],
  ['[fd00::5]:9999', 'fd00-5'],
  ['lb-1.example.com:/run/haproxy/admin.sock', 'lb-1.example.com'],
  ['ops@10.0.0.5:/run/haproxy/admin.sock', '10.0.0.5'],
]

test('a socket is a path, a port or a path over ssh, and is written as it is read', () => {
  for (const [text, name] of FORMS) {
    const address = parseAddress(text)
    assert.ok(address !== undefined, text)
    assert.equal(addressText(address), text)
    assert.deepEqual(instanceNames([address]), [name])
  }
})

test('anything else is no socket', () => {
  for (const text of [
    '',
    'admin.sock',
    'lb-1',
    'lb-1:',
    'lb-1:0',
    'lb-1:70000',
    'ops@lb-1:9999',
    '-oProxyCommand=x:/a',
    'a b:/s',
  ])
    assert.equal(parseAddress(text), undefined, text)
})

test('no two instances have one name', () => {
  const names = instanceNames(['lb:1', 'lb:2', '/a', 'ops@lb:/a'].flatMap((text) => parseAddress(text) ?? []))
  assert.deepEqual(names, ['lb', 'lb-2', 'lb-3', 'lb-4'])
})
