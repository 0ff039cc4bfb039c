import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricsPortOfCorefile } from '../../../src/dns/decide/find-dns-service.ts'

const TABLE: readonly (readonly [directive: string, port: number | undefined])[] = [
  ['prometheus :9153', 9153],
  ['prometheus 127.0.0.1:9253 # of its own', 9253],
  ['prometheus [::1]:9254', 9254],
  ['prometheus {$POD_IP}:9255', 9255],
  ['prometheus', 9153],
  ['prometheus localhost', 9153],
  ['# prometheus :9999', undefined],
  ['forward . /etc/resolv.conf', undefined],
]

for (const [directive, port] of TABLE)
  test(`metrics of a Corefile with "${directive}": ${port ?? 'it does not say where'}`, () => {
    assert.equal(metricsPortOfCorefile(`.:53 {\n    errors\n    ${directive}\n    cache 30\n}\n`), port)
  })
