type Row = readonly [spec: Readonly<Record<string, string | number>>, replicas: number, desiredHealthy: number]

/** How many of so many replicas a budget keeps, as the disruption controller of Kubernetes 1.35 works it out. */
export const DISRUPTION_ROWS: readonly Row[] = [
  [{ minAvailable: 0 }, 3, 0],
  [{ minAvailable: 2 }, 3, 2],
  [{ minAvailable: 5 }, 3, 5],
  [{ minAvailable: '0%' }, 3, 0],
  [{ minAvailable: '1%' }, 3, 1],
  [{ minAvailable: '33%' }, 3, 1],
  [{ minAvailable: '34%' }, 3, 2],
  [{ minAvailable: '50%' }, 3, 2],
  [{ minAvailable: '67%' }, 3, 3],
  [{ minAvailable: '99%' }, 3, 3],
  [{ minAvailable: '100%' }, 3, 3],
  [{ maxUnavailable: 0 }, 3, 3],
  [{ maxUnavailable: 1 }, 3, 2],
  [{ maxUnavailable: 5 }, 3, 0],
  [{ maxUnavailable: '0%' }, 3, 3],
  [{ maxUnavailable: '1%' }, 3, 2],
  [{ maxUnavailable: '33%' }, 3, 2],
  [{ maxUnavailable: '34%' }, 3, 1],
  [{ maxUnavailable: '66%' }, 3, 1],
  [{ maxUnavailable: '67%' }, 3, 0],
  [{ maxUnavailable: '100%' }, 3, 0],
]
