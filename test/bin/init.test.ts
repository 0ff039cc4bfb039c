import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { parse } from 'yaml'
import { ArticleCluster } from '../../bin/demo/article-cluster.ts'
import { posixQuote } from '../../src/ground/model/posix-quote.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { requires } from '../support/requires.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { aMachine, good, HERE, type InitDocument, nodeAddresses } from './init-machine.ts'

test(
  'on the cluster of the demo, behind a real HAProxy, init writes a file that the plan accepts',
  requires('haproxy'),
  async (t) => {
    const ground = await ArticleCluster.open({ plan: 'evenkeel', balancer: 'auto' }, process.env, t.signal)
    t.after(() => ground.end())
    assert.match(ground.about, /^HAProxy/)
    const { folder, paste } = await aMachine(t)
    const reboot = (parse(await readFile(ground.rollFile, 'utf8')).spec.reboot.command as string[])
      .map(posixQuote)
      .join(' ')
    const place = `--kubeconfig ${posixQuote(ground.cluster.kubeconfig)}`
    const found = `--haproxy-socket ${posixQuote(ground.balancerSocket)} --probe ${ground.url}`
    const line = `evenkeel init --yes -f 'my "roll".yaml' ${place} ${found} --reboot ${posixQuote(reboot)}`
    const document = JSON.parse(await good(paste(`${line} -o json`))) as InitDocument

    assert.ok(document.isComplete, JSON.stringify(document))
    const text = await readFile(join(folder, 'my "roll".yaml'), 'utf8')
    const { spec } = parse(text)
    assert.deepEqual(spec.nodes, { selector: 'node-role.kubernetes.io/ingress-controller' }, text)
    assert.deepEqual(spec.balancers, [
      { name: 'edge', instances: [{ name: 'lb-1', socket: ground.balancerSocket }], backends: ['web'] },
    ])
    assert.deepEqual(
      document.leftOut.map(({ what }) => what),
      ['nodes w-1, w-2 and 1 more'],
    )

    const [apply = '', plan = ''] = document.next
    const words = ['--kubeconfig', ground.cluster.kubeconfig, 'apply', '-f', 'my "roll"-rights.yaml']
    assert.equal(await good(paste(apply)), `${words.join('|')}|`)
    const said = JSON.parse(await good(paste(`${plan} -o json`)))
    // Its machines answer no ssh, and it has no etcd.
    const codes = new Set(said.findings.map(({ code }: { code: string }) => code))
    assert.deepEqual([...codes], ['HostNotAsked', 'EtcdUnseen'], JSON.stringify(said.findings))
    assert.deepEqual(
      said.nodes.map(({ node, detachFrom }: { node: string; detachFrom: readonly string[] }) => [node, detachFrom]),
      [1, 2, 3].map((i) => [`cp-${i}`, [`web/cp-${i} on lb-1`]]),
    )
  },
)

const web = (addresses: readonly string[]) => () =>
  `backend web\n${addresses.map((address, at) => `  server s${at + 1} ${address}:30080\n`).join('')}`

test(
  'two HAProxies that disagree are both written, with the difference; a person may say which is right',
  requires('haproxy'),
  async (t) => {
    const roll = await anEmbeddedRoll(t)
    const addresses = nodeAddresses(roll)
    const [one, other] = await Promise.all([
      LocalHaproxy.start(t, { sections: web(addresses) }),
      LocalHaproxy.start(t, { sections: web(addresses.slice(0, 1)) }),
    ])
    const { paste } = await aMachine(t, roll.folder)
    const sockets = [one, other].map(({ socket }) => `--haproxy-socket ${socket}`).join(' ')
    const { found } = JSON.parse(await good(paste(`evenkeel init --yes ${HERE} ${sockets} -o json`))) as InitDocument
    assert.ok(found.length > 0)
    const text = await readFile(join(roll.folder, 'roll.yaml'), 'utf8')
    assert.match(text, /# The HAProxies disagree\. Correct this before a roll: server web\/s2/)
    assert.deepEqual(
      parse(text).spec.balancers[0].instances.map(({ socket }: { socket: string }) => socket),
      [one.socket, other.socket],
    )

    // The plan sees the same difference, and takes the file.
    const reboot = posixQuote('/bin/true {node} {bootId}')
    const again = `evenkeel init --yes --overwrite ${HERE} ${sockets} --reboot ${reboot} -o json`
    const [, plan = ''] = (JSON.parse(await good(paste(again))) as InitDocument).next
    const codes = JSON.parse((await paste(`${plan} -o json`)).out).findings.map(({ code }: { code: string }) => code)
    assert.ok(codes.includes('BalancerPairDiffers'), codes.join())
    assert.equal(await readFile(join(roll.folder, 'roll.yaml.bak'), 'utf8'), text)
  },
)
