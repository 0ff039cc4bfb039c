import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKubeconfig } from '../../../src/ground/kube/kubeconfig-file.ts'

const read = (text: string | Buffer) => parseKubeconfig(Buffer.from(text), '/etc/kube')
const tokenOf = (text: string | Buffer) => read(text).users.get('me')?.token

const PLAIN = 'users:\n- name: me\n  user:\n    token: x\n'

const UNDERSTOOD: readonly (readonly [title: string, text: string | Buffer, token: string])[] = [
  ['with a byte order mark', `\uFEFF${PLAIN}`, 'x'],
  ['in UTF-16', Buffer.from(`\uFEFF${PLAIN}`, 'utf16le'), 'x'],
  ['in UTF-16 of the other order', Buffer.from(`\uFEFF${PLAIN}`, 'utf16le').swap16(), 'x'],
  ['with the line ends of Windows', PLAIN.replaceAll('\n', '\r\n'), 'x'],
  ['with the line ends of old Macs', PLAIN.replaceAll('\n', '\r'), 'x'],
  ['with a field twice: the second counts', `${PLAIN}    token: second\n`, 'second'],
  ['with fields that are merged in', `common: &c {token: z}\n${PLAIN.replace('token: x', '<<: *c')}`, 'z'],
  ['with a text in base64', PLAIN.replace(' x', ' !!binary b2YtbWU='), 'of-me'],
  ['with a day for a text', PLAIN.replace(' x', ' 2026-11-30'), '2026-11-30'],
  ['with a further document that is broken', `${PLAIN}---\nx: [\n`, 'x'],
  ['with null for a text', PLAIN.replace(' x', ' ~'), ''],
]

for (const [title, text, token] of UNDERSTOOD) {
  test(`a kubeconfig ${title} is read as kubectl reads it`, () => {
    assert.equal(tokenOf(text), token)
  })
}

const REFUSED: readonly (readonly [title: string, text: string, words: RegExp])[] = [
  ['has a token that is a number', PLAIN.replace(' x', ' 7'), /^users\.0\.user\.token is not text$/],
  ['has a token that YAML 1.1 reads as true', PLAIN.replace(' x', ' yes'), /^users\.0\.user\.token is not text$/],
  ['has an entry that is a text', 'users: [me]', /^users\.0 is not an object$/],
  ['has the name of a user twice', `${PLAIN}- name: me\n`, /^users has "me" twice$/],
  ['is of another kind', 'kind: Pod', /^it is a Pod of v1, and no Config of v1$/],
  ['is of another version', 'apiVersion: v2', /^it is a Config of v2, and no Config of v1$/],
  [
    'has data that are not base64',
    '{"users":[{"name":"me","user":{"client-key-data":"%"}}]}',
    /key-data is not base64$/,
  ],
  [
    'has a flag that is a text',
    '{"clusters":[{"cluster":{"insecure-skip-tls-verify":"true"}}]}',
    /is not true or false$/,
  ],
  ['has one text for a list', '{"users":[{"user":{"as-groups":"ops"}}]}', /^users\.0\.user\.as-groups is not a list$/],
  ['has a control character', 'kind: Config # \u0007', /^it has a control character$/],
]

for (const [title, text, words] of REFUSED) {
  test(`a kubeconfig that ${title} is refused, whoever uses it, as by kubectl`, () => {
    assert.throws(() => read(text), { message: words })
  })
}

test('a file that says nothing has nothing', () => {
  for (const text of ['', '\n', '# none\n', '---\n', 'null', '{}']) assert.equal(read(text).users.size, 0)
})

test('an entry that says nothing is one of that name', () => {
  const { users, contexts } = read('users: [{name: me}, null]\ncontexts: [{name: it, context: null}]')
  assert.deepEqual([...users.keys()], ['me', ''])
  assert.deepEqual(contexts.get('it'), { cluster: '', user: '', namespace: '' })
})

test('what YAML 1.1 reads as true is true', () => {
  const unchecked = (word: string) =>
    read(`clusters: [{name: it, cluster: {insecure-skip-tls-verify: ${word}}}]`).clusters.get('it')?.isUnchecked
  assert.deepEqual(['yes', 'on', 'True', 'no', 'off', '~'].map(unchecked), [true, true, true, false, false, false])
})

test('paths begin at the folder of the file', () => {
  const user = {
    'client-certificate': 'a.crt',
    'client-key': '/b.key',
    tokenFile: '../token',
    exec: { command: './plug' },
  }
  const { certFile, keyFile, tokenFile, exec } =
    read(JSON.stringify({ users: [{ name: 'me', user }] })).users.get('me') ?? {}
  assert.deepEqual(
    [certFile, keyFile, tokenFile, exec?.command],
    ['/etc/kube/a.crt', '/b.key', '/etc/token', '/etc/kube/plug'],
  )
})

test('a plugin of an older version need not say whether it asks a person', () => {
  const modeOf = (version: string) => {
    const exec = { apiVersion: `client.authentication.k8s.io/${version}`, command: 'plug' }
    return read(JSON.stringify({ users: [{ name: 'me', user: { exec } }] })).users.get('me')?.exec?.interactiveMode
  }
  assert.deepEqual([modeOf('v1beta1'), modeOf('v1')], ['IfAvailable', ''])
})
