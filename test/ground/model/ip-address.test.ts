import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress } from '../../../src/ground/model/ip-address.ts'

const CANONICAL: Readonly<Record<string, string>> = {
  '10.0.0.1': '10.0.0.1',
  '::1': '0:0:0:0:0:0:0:1',
  '[::1]': '0:0:0:0:0:0:0:1',
  '::': '0:0:0:0:0:0:0:0',
  '2001:DB8::8:800:200c:417A': '2001:db8:0:0:8:800:200c:417a',
  '2001:0db8:0000:0000:0008:0800:200c:417a': '2001:db8:0:0:8:800:200c:417a',
  'fe80::1%eth0': 'fe80:0:0:0:0:0:0:1%eth0',
  '1::': '1:0:0:0:0:0:0:0',
  '::ffff:192.0.2.128': '192.0.2.128',
  '::ffff:c000:280': '192.0.2.128',
  '64:ff9b::192.0.2.33': '64:ff9b:0:0:0:0:c000:221',
}

test('addresses that are the same are written the same', () => {
  for (const [text, canonical] of Object.entries(CANONICAL)) assert.equal(canonicalAddress(text), canonical, text)
})

test('what is no address stays what it is, in lower case', () => {
  for (const text of [
    '',
    'Node-1.Example',
    '1:2:3',
    '1::2::3',
    ':::',
    '1:2:3:4:5:6:7:8:9',
    'g::1',
    '12345::1',
    '::1.2.3',
  ]) {
    assert.equal(canonicalAddress(text), text.toLowerCase(), text)
  }
})
