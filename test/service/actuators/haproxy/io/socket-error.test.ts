import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressText, adminSocketLine } from '../../../../../src/service/actuators/haproxy/io/socket-error.ts'

const tcp = (host: string) => ({ kind: 'tcp', host, port: 9999 }) as const

test('the line that haproxy.cfg needs has the family and the brackets of an IPv6 address, without which HAProxy refuses it', () => {
  assert.equal(adminSocketLine(tcp('fd00::5')), 'stats socket ipv6@[fd00::5]:9999 level admin')
  assert.equal(adminSocketLine(tcp('10.0.0.5')), 'stats socket ipv4@10.0.0.5:9999 level admin')
  assert.equal(adminSocketLine(tcp('lb-1.example.com')), 'stats socket ipv4@lb-1.example.com:9999 level admin')
  assert.equal(addressText(tcp('fd00::5')), '[fd00::5]:9999')
})
