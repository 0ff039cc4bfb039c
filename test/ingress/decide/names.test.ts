import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { nodeLabel, shortHash } from '../../../src/ground/model/owned/node-names.ts'
import { healthCheckerName, newIdentity, revisionName } from '../../../src/ingress/decide/names.ts'

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/)
const ofNode = fc
  .array(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/), { minLength: 1, maxLength: 8 })
  .map((labels) =>
    labels
      .join('.')
      .slice(0, 253)
      .replace(/[.-]+$/, ''),
  )
const long = 'n.'.repeat(126).concat('n')

const LABEL_VALUE = /^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?$/
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const named = (name: string, node: string, collisionCount?: number): string =>
  newIdentity({ name, uid: 'u' }, node, collisionCount).name

const labelValue = (node: string, collisionCount?: number): string | undefined =>
  newIdentity({ name: 'front', uid: 'u' }, node, collisionCount).selector['evenkeel.dev/node']

test('the names that stand in clusters are made by a function that never changes', () => {
  assert.equal(shortHash(''), '4oymiquy7q')
  assert.equal(shortHash('n1'), base32OfSha256('n1'))
  assert.deepEqual(newIdentity({ name: 'front', uid: 'u-1' }, 'ip-10-0-0-1.eu.example.com'), {
    node: 'ip-10-0-0-1.eu.example.com',
    name: `front-${base32OfSha256('ip-10-0-0-1.eu.example.com')}`,
    selector: { 'evenkeel.dev/ingress-uid': 'u-1', 'evenkeel.dev/node': 'ip-10-0-0-1.eu.example.com' },
  })
  assert.equal(nodeLabel(long), `h.${base32OfSha256(long)}`)
  assert.equal(revisionName('front', 'abcdefghij'), 'front-abcdefghij')
  assert.equal(healthCheckerName('front'), 'front-hc')
})

/** RFC 4648 section 6, bit by bit. */
function base32OfSha256(text: string): string {
  const bits = [...createHash('sha256').update(text).digest()].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = Array.from({ length: 10 }, (_, i) => Number.parseInt(bits.slice(5 * i, 5 * i + 5), 2))
  return digits.map((digit) => 'abcdefghijklmnopqrstuvwxyz234567'.charAt(digit)).join('')
}

test('every name is a DNS label, short enough for the names of pods to keep all of it', () => {
  fc.assert(
    fc.property(label, ofNode, fc.nat(3), (ingress, node, collisionCount) => {
      const names = [
        named(ingress, node, collisionCount),
        revisionName(ingress, shortHash(node), collisionCount),
        healthCheckerName(ingress),
      ]
      for (const name of names) {
        assert.match(name, DNS_LABEL)
        assert.ok(name.length <= 46, name)
      }
    }),
  )
  assert.equal(named('a'.repeat(30), long).length, 41)
})

test('the label of every node is a label value, and its name where that may be one', () => {
  fc.assert(
    fc.property(ofNode, (node) => {
      const value = labelValue(node) ?? ''
      assert.match(value, LABEL_VALUE)
      if (node.length <= 63 && !node.startsWith('h.')) assert.equal(value, node)
    }),
  )
  assert.equal(long.length, 253)
  assert.match(labelValue(long) ?? '', LABEL_VALUE)
})

test('no node takes the label of another, though its name may look like a hash', () => {
  const looksHashed = nodeLabel(long)
  assert.notEqual(nodeLabel(looksHashed), looksHashed)
  assert.equal(nodeLabel('h.example'), 'h.example')
})

test('twenty thousand nodes of four fleets have as many names and labels', () => {
  const nodes = Array.from({ length: 5_000 }, (_, i) => `node-${i}.${i % 7}.${'x'.repeat(i % 60)}.example.com`)
  const fleets = ['a', 'a-b', 'front', 'front-2']
  assert.equal(new Set(fleets.flatMap((fleet) => nodes.map((node) => named(fleet, node)))).size, 20_000)
  assert.equal(new Set(nodes.map((node) => nodeLabel(node))).size, 5_000)
})

test('names that run together do not meet: the one of a on b-c is not the one of a-b on c', () => {
  fc.assert(
    fc.property(label, label, ofNode, ofNode, (a, b, m, n) => {
      fc.pre(a !== b || m !== n)
      assert.notEqual(named(a, m), named(b, n))
      assert.notEqual(healthCheckerName(a), named(b, n))
    }),
  )
})

test('a collision that was counted changes every hash', () => {
  fc.assert(
    fc.property(ofNode, fc.nat(5), (node, count) => {
      assert.notEqual(named('front', node, count), named('front', node, count + 1))
      assert.notEqual(revisionName('front', shortHash(node), count), revisionName('front', shortHash(node), count + 1))
    }),
  )
  assert.notEqual(labelValue(long, 1), labelValue(long))
  assert.equal(labelValue('n1', 1), 'n1')
})
