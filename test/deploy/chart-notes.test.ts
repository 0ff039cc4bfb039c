import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { HELM } from '../support/agent-chart.ts'
import { requires } from '../support/requires.ts'

async function notes(...values: readonly string[]): Promise<string> {
  const set = values.flatMap((value) => ['--set', value])
  const words = ['install', 'evenkeel-agent', CHART, '-n', 'evenkeel', '--dry-run=client', ...set]
  const { code, stdout, stderr } = await runToEnd([HELM, ...words], { env: { KUBECONFIG: '/dev/null' } })
  assert.equal(code, 0, stderr)
  return stdout.slice(stdout.indexOf('NOTES:'))
}

describe('the notes of an installation', requires('helm'), () => {
  test('say that nothing limits cordons where no controller runs, and name nothing that is off', async () => {
    const said = await notes()
    assert.match(said, /controller\.enabled is false/)
    assert.doesNotMatch(said, /deployment\/|IngressDaemonSet|NodeGuard|DNSHealthy/)
  })

  test('say what the controller does, with the values that were given', async () => {
    const said = await notes(
      ...['controller.enabled=true', 'controller.maxCordonedOut=2', 'controller.selector=edge'],
      ...['dns.enabled=true', 'controller.statusPort=9090'],
    )
    assert.match(said, /At most 2 of the nodes that match edge leave by cordon at once/)
    assert.match(said, /port-forward deployment\/evenkeel-agent-controller 9090/)
    assert.match(said, /condition=evenkeel\.dev\/DNSHealthy/)
    assert.doesNotMatch(said, /IngressDaemonSet|NodeGuard|controller\.enabled is false/)
  })

  test('have the IngressDaemonSets of each group deleted before the controller', async () => {
    const said = await notes(
      ...['controller.enabled=true', 'ingress.enabled=true'],
      'ingress.groups={evenkeel.dev,ingressdaemonsets.mumoshu.github.io}',
    )
    assert.match(said, /checks a port of its healthCheckNodePorts instead, since port 8080 knows of no pods/)
    const removal = said.slice(said.indexOf('TO REMOVE IT'))
    const order = [
      'kubectl delete ingressdaemonsets.evenkeel.dev -A --all',
      'kubectl delete ingressdaemonsets.ingressdaemonsets.mumoshu.github.io -A --all',
      '4. helm uninstall evenkeel-agent -n evenkeel',
      'delete configmap/evenkeel-cordon-grants',
    ].map((line) => removal.indexOf(line))
    assert.ok(!order.includes(-1), removal)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
  })

  test('have the NodeGuards deleted before the controller, with the IngressDaemonSets and without', async () => {
    for (const [values, steps] of [
      [[], ['3. Delete the NodeGuards', '4. helm uninstall', '5. kubectl -n evenkeel delete configmap']],
      [['ingress.enabled=true'], ['3. Delete the IngressDaemonSets', '4. Delete the NodeGuards', '5. helm uninstall']],
    ] as const) {
      const said = await notes('controller.enabled=true', 'guard.enabled=true', ...values)
      assert.match(said, /kubectl delete nodeguards\.evenkeel\.dev -A --all/)
      const removal = said.slice(said.indexOf('TO REMOVE IT'))
      assert.deepEqual(
        steps.filter((step) => !removal.includes(`  ${step}`)),
        [],
        removal,
      )
      assert.match(removal, /The CustomResourceDefinitions stay/)
    }
  })
})
