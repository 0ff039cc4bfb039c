import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forwardsAll, zoneOfCorefile } from '../../../src/dns/decide/corefile.ts'

const of = (plugins: string, keys = '.:53') => `${keys} {\n  errors\n${plugins}\n  cache 30\n}\n`

const ROWS: readonly (readonly [title: string, corefile: string, zone: string | undefined])[] = [
  ['the usual one', of('  kubernetes cluster.local in-addr.arpa ip6.arpa {\n    pods insecure\n  }'), 'cluster.local'],
  ['a final dot', of('  kubernetes cluster.local. {\n  }'), 'cluster.local'],
  ['no block', of('  kubernetes corp.example'), 'corp.example'],
  ['reverse zones first', of('  kubernetes in-addr.arpa 10.96.0.0/12 cluster.local {\n  }'), 'cluster.local'],
  ['quotes', of('  kubernetes "cluster.local" in-addr.arpa {\n  }'), 'cluster.local'],
  ['a variable', of('  kubernetes {$CLUSTER_DOMAIN} in-addr.arpa ip6.arpa {\n    pods insecure\n  }'), undefined],
  ['a variable of Windows', of('  kubernetes {%CLUSTER_DOMAIN%} {\n  }'), undefined],
  ['a variable, and a name', of('  kubernetes {$CLUSTER_DOMAIN} corp.example {\n  }'), 'corp.example'],
  ['a comment', of('  # kubernetes old.example\n  kubernetes new.example # was old.example'), 'new.example'],
  ['the zone of its server block', of('  kubernetes', 'corp.example:53'), 'corp.example'],
  ['the zone of all names', of('  kubernetes'), undefined],
  [
    'another cluster first',
    `${of('  kubernetes west.example {\n    kubeconfig /etc/west ctx\n  }', 'west.example')}${of('  kubernetes east.example {\n  }')}`,
    'east.example',
  ],
  [
    'its own, by the address of the API',
    of('  kubernetes cluster.local {\n    endpoint https://10.0.0.1:6443\n  }'),
    'cluster.local',
  ],
  [
    'a zone of several clusters first',
    of('  kubernetes clusterset.local cluster.local {\n    multicluster clusterset.local\n  }'),
    'cluster.local',
  ],
  ['a word that is no name', of('  kubernetes cluster..local {\n  }'), undefined],
  ['no such plugin', of('  forward . /etc/resolv.conf'), undefined],
]

for (const [title, corefile, zone] of ROWS)
  test(`the zone of a cluster by its Corefile: ${title}`, () => assert.equal(zoneOfCorefile(corefile), zone))

const FORWARDING: readonly (readonly [what: string, corefile: string, isForwarded: boolean])[] = [
  [
    'as kubeadm writes it',
    '.:53 {\n    kubernetes cluster.local\n    forward . /etc/resolv.conf {\n       max_concurrent 1000\n    }\n}',
    true,
  ],
  ['in a line', '.:53 {\n  forward . 192.0.2.1 192.0.2.2\n}', true],
  ['of one zone', '.:53 {\n  forward example.com 192.0.2.1\n}', false],
  [
    'in a block of one zone',
    'example.com:53 {\n  forward . 192.0.2.1\n}\n.:53 {\n  kubernetes cluster.local\n}',
    false,
  ],
  ['in a snippet', '(out) {\n  forward . 192.0.2.1\n}\n.:53 {\n  import out\n}', true],
  ['in a comment', '.:53 {\n  # forward . 192.0.2.1\n}', false],
  ['by none', '.:53 {\n  kubernetes cluster.local\n}', false],
]
for (const [what, corefile, isForwarded] of FORWARDING)
  test(`forward ${what}: names outside are ${isForwarded ? '' : 'not '}asked of other servers`, () => {
    assert.equal(forwardsAll(corefile), isForwarded)
  })

test('the plugin kubernetai, which serves several clusters, tells the zone of its own as the plugin kubernetes does', () => {
  const text = `. {
    kubernetai remote.local 10.0.0.0/16 {
      endpoint https://192.0.2.1
    }
    kubernetai own.local {
      fallthrough
    }
    forward . 8.8.8.8
}`
  assert.equal(zoneOfCorefile(text), 'own.local')
})
