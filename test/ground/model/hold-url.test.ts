import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fillHoldUrl, urlFault } from '../../../src/ground/model/hold-url.ts'
import { isMetadataAddress } from '../../../src/ground/model/metadata-address.ts'

const V4 = { node: 'node-1', address: '192.0.2.7' }
const V6 = { node: 'node-1', address: '2001:db8::7' }

test('the placeholders become the name and the address of the node, with brackets where IPv6 is the host', () => {
  const table: readonly (readonly [string, typeof V4, string])[] = [
    ['http://{address}:9500/drain/{node}', V4, 'http://192.0.2.7:9500/drain/node-1'],
    ['http://{address}:9500/drain/{node}', V6, 'http://[2001:db8::7]:9500/drain/node-1'],
    ['http://{address}/', V6, 'http://[2001:db8::7]/'],
    ['http://{address}?of={address}', V6, 'http://[2001:db8::7]?of=2001%3Adb8%3A%3A7'],
    ['https://{node}.storage.svc/a?n={node}&n={node}', V4, 'https://node-1.storage.svc/a?n=node-1&n=node-1'],
    [
      'http://db.data.svc/drain?node=a/b {node}',
      { ...V4, node: 'a/b?c&d=$&' },
      'http://db.data.svc/drain?node=a/b a%2Fb%3Fc%26d%3D%24%26',
    ],
  ]
  for (const [template, of, url] of table) assert.equal(fillHoldUrl(template, of), url)
})

test('no name of a node changes the host, the path before it or the parameters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (node) => {
      if (!node.isWellFormed()) return
      const url = new URL(fillHoldUrl('http://db.data.svc:81/drain/x-{node}?a={node}', { ...V4, node }))
      assert.equal(url.host, 'db.data.svc:81')
      assert.equal(url.pathname.split('/').length, 3)
      assert.deepEqual([...url.searchParams.keys()], ['a'])
    }),
  )
})

test('a URL that cannot be used is refused with its cause', () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ['http://{address}:9500/drain/{node}', undefined],
    ['https://db.data.svc/drain', undefined],
    ['http://127.0.0.1:8080/', undefined],
    ['', 'it is no URL'],
    ['/drain/{node}', 'it is no URL'],
    ['http://', 'it has no host after "//"'],
    ['http:///drain', 'it has no host after "//"'],
    ['https:db/drain', 'it has no host after "//"'],
    ['http://[{address}]/', 'it is no URL'],
    ['http://db:{node}/', 'it is no URL'],
    ['ftp://db/', 'it begins neither with http:// nor with https://'],
    ['file:///etc/passwd', 'it begins neither with http:// nor with https://'],
    ['http://me:secret@db/', 'it has credentials'],
    ['http://{node}@db/', 'it has credentials'],
    ['http://db/{pod}', '{pod} is neither {node} nor {address}'],
    ['http://169.254.169.254/latest/meta-data', 'its host is a link-local or metadata address'],
    ['http://2852039166/', 'its host is a link-local or metadata address'],
    ['http://0xa9.0xfe.0xa9.0xfe/', 'its host is a link-local or metadata address'],
    ['http://[::ffff:a9fe:a9fe]/', 'its host is a link-local or metadata address'],
    [`http://db/${'a'.repeat(2_000)}`, 'it is longer than 2000 characters'],
  ]
  for (const [url, fault] of table) assert.equal(urlFault(url), fault, url)
})

test('an address of link-local or of the metadata of a cloud is known in every way it is written', () => {
  for (const address of [
    ...['169.254.0.1', '169.254.169.254', '::ffff:169.254.169.254', '::169.254.169.254', '[::ffff:a9fe:a9fe]'],
    ...['fe80::1', 'FE80::1%eth0', 'febf::1', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1'],
    ...[
      'fd00:42::42',
      'fd00:c1::a9fe:a9fe',
      '64:ff9b:1::a9fe:a9fe',
      '64:ff9b:1:a9fe:0:a9fe::',
      '::ffff:0:169.254.169.254',
    ],
    ...['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ])
    assert.equal(isMetadataAddress(address), true, address)
  for (const address of [
    ...['127.0.0.1', '10.0.0.1', '169.253.255.255', '170.254.0.1', '100.100.100.20', '::1', '2001:db8::a9fe:a9fe'],
    ...[
      'fec0::1',
      'fd00:ec3::254',
      '64:ff9b::10.0.0.1',
      'fd00:43::42',
      '::ffff:0:10.0.0.1',
      '2002:a00:1::1',
      'db.data.svc',
      '',
    ],
  ])
    assert.equal(isMetadataAddress(address), false, address)
})
