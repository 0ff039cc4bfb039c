import type { InputGround } from './input-ground.ts'
import { begun, type InputRow } from './input-row.ts'

const balanced = (ground: InputGround, socket: string, backends: readonly string[]): readonly string[] =>
  begun(ground.file({ balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket }], backends }] }))

/** A balancer that cannot be asked, may not be set or must not be touched. */
export const BALANCER_ROWS: readonly InputRow[] = [
  {
    title: 'a balancer socket that is not there',
    words: (ground) => balanced(ground, '/nowhere/haproxy.sock', ['web']),
    code: 'plan.refused',
    names: ['lb-1 (/nowhere/haproxy.sock): there is no such socket (BALANCER_UNREACHABLE)', '1 error in the plan for '],
    fix: 'check its address under "balancers", and that HAProxy runs and serves its runtime API there',
    never: ['matches no server'],
  },
  {
    title: 'a balancer socket that may only read',
    words: (ground) => balanced(ground, ground.odd.operator, ['web']),
    code: 'plan.refused',
    names: [
      'the runtime socket of lb-1 is of level operator and is not allowed to change states (BalancerNotAdmin)',
      '1 error in the plan for ',
    ],
    fix: 'give its "stats socket" line in haproxy.cfg "level admin", then reload HAProxy',
  },
  {
    title: 'a backend that is not there',
    words: (ground) => balanced(ground, ground.odd.admin, ['web', 'wbe']),
    code: 'plan.refused',
    names: ['backend wbe of lb-1 is not there or has no server (BalancerBackendMissing)', '1 error in the plan for '],
    fix: 'check the name, or take wbe out of "backends"',
  },
  {
    title: 'a backend that is named as the API server is',
    words: (ground) => balanced(ground, ground.odd.admin, ['web', 'kube-apiserver']),
    code: 'plan.refused',
    names: [
      'backend kube-apiserver of lb-1 looks like the Kubernetes API ("kube-apiserver" in its name), which is never taken out',
      '(BalancerApiBackend)',
      '1 error in the plan for ',
    ],
    fix: 'take kube-apiserver out of "backends"',
  },
  {
    title: "a backend that leads to the API server's port",
    words: (ground) => balanced(ground, ground.odd.admin, ['web', 'control']),
    code: 'plan.refused',
    names: [
      'backend control of lb-1 looks like the Kubernetes API (a server at port 6443)',
      '1 error in the plan for ',
    ],
    fix: 'take control out of "backends"',
  },
  {
    title: 'a server that another program sets by an agent',
    words: (ground) => balanced(ground, ground.odd.admin, ['guarded']),
    code: 'plan.refused',
    names: ['guarded/n1 on lb-1 has an agent-check of another agent', '(BalancerAgentCheck)'],
    fix: 'disable agent guarded/n1, and take "agent-check" out of haproxy.cfg',
  },
]
