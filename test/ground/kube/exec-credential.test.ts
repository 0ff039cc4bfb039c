import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExecCredential } from '../../../src/ground/kube/exec-credential.ts'

const V1 = 'client.authentication.k8s.io/v1'
const read = (text: string) => parseExecCredential(Buffer.from(text), V1)
const answer = (status: unknown, apiVersion = V1) => JSON.stringify({ apiVersion, kind: 'ExecCredential', status })

test('a plugin may answer JSON or YAML', () => {
  const token = { token: 'x', certificate: '', key: '', endsMs: undefined }
  assert.deepEqual(read(answer({ token: 'x' })), token)
  assert.deepEqual(read(`\uFEFF${answer({ token: 'x' })}`), token)
  assert.deepEqual(read(`# mine\napiVersion: ${V1}\nkind: ExecCredential\nstatus:\n  token: x\n`), token)
})

test('a plugin may answer with a certificate, and say when it ends', () => {
  const status = { clientCertificateData: 'C', clientKeyData: 'K', expirationTimestamp: '2026-11-30T12:00:00Z' }
  const endsMs = Date.UTC(2026, 10, 30, 12)
  assert.deepEqual(read(answer(status)), { token: '', certificate: 'C', key: 'K', endsMs })
})

const REFUSED: readonly (readonly [text: string, words: RegExp])[] = [
  [answer({ token: 'x' }, `${V1}beta1`), /no ExecCredential of .*\/v1: ExecCredential of .*\/v1beta1$/],
  ['{"status":{"token":"x"}}', /no kind of no version$/],
  [answer(null), /neither a token nor a certificate$/],
  [answer({ clientCertificateData: 'C' }), /only one of certificate and key$/],
  [answer({ token: 7 }), /^the plugin's answer\.status\.token is not text$/],
  [answer({ token: 'x', expirationTimestamp: 'tomorrow' }), /expirationTimestamp is no time$/],
  [`${answer({ token: 'x' })}\n---\n{}`, /after JSON at position/],
  ['please log in', /^the plugin's answer is not an object$/],
]

for (const [text, words] of REFUSED) {
  test(`${text} is no credential, as for kubectl`, () => {
    assert.throws(() => read(text), { message: words })
  })
}
