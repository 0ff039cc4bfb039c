/** The article's plans in its order, and ours. */
export const DEMO_PLANS = ['naive', 'balancer', 'service', 'staged', 'evenkeel'] as const
export type DemoPlan = (typeof DEMO_PLANS)[number]

export const isDemoPlan = (text: string): text is DemoPlan => DEMO_PLANS.some((plan) => plan === text)

interface PlanDetails {
  /** `plain`: pods exit at once; `improved`: they go on serving for a while, and there is a budget. */
  readonly service: 'plain' | 'improved'
  /** Whether the script commands the balancer for each node that carries the ingress. */
  readonly tellsBalancer: boolean
  /** Whether pods with volumes leave in a step of their own. */
  readonly twoSteps: boolean
  readonly about: string
}

export const PLAN_DETAILS: Readonly<Record<DemoPlan, PlanDetails>> = {
  naive: {
    service: 'plain',
    tellsBalancer: false,
    twoSteps: false,
    about: 'drain, reboot, uncordon, with sleeps in between',
  },
  balancer: {
    service: 'plain',
    tellsBalancer: true,
    twoSteps: false,
    about: 'the same, with each ingress node taken out of HAProxy',
  },
  service: {
    service: 'improved',
    tellsBalancer: true,
    twoSteps: false,
    about: 'the same, with a service that ends gracefully and has a budget',
  },
  staged: {
    service: 'improved',
    tellsBalancer: true,
    twoSteps: true,
    about: 'the same, with pods with volumes drained first',
  },
  evenkeel: { service: 'improved', tellsBalancer: true, twoSteps: true, about: 'evenkeel roll' },
}
