/** A kured of a public repository, with its flags as they stand there, or as the chart makes them of the values there. */
export interface RealKured {
  /** Repository and path. */
  readonly source: string
  readonly namespace?: string
  readonly flags: readonly string[]
  readonly env?: readonly object[]
  /** The pod sees a directory of the machine at /sentinel. */
  readonly sentinel?: string
}

/** What charts/kured of kubereboot/charts always writes. */
const CHART = [
  '--ds-name=kured',
  '--ds-namespace=kube-system',
  '--metrics-port=8080',
  '--reboot-command=/bin/systemctl reboot',
]
const secret = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: 'kured', key: 'url' } } })

export const REAL_KUREDS: readonly RealKured[] = [
  {
    source: 'andrew-siwko/kubernetes-test-one k8s/kured.yaml',
    flags: ['--reboot-sentinel=/sentinel/reboot-required'],
    sentinel: '/var/run',
  },
  {
    source: 'kubereboot/kured kured-ds-signal.yaml',
    flags: ['--reboot-sentinel=/sentinel/reboot-required', '--reboot-method=signal'],
    sentinel: '/var/run',
  },
  {
    source: 'liuzhiyong1982/cluster-baseline-settings kured/kured.yaml',
    namespace: 'cluster-baseline-settings',
    flags: [
      '--ds-namespace=cluster-baseline-settings',
      '--reboot-days=mon,tue,wed,thu,fri',
      '--reboot-delay=90s',
      '--start-time=23:59:59',
      '--end-time=03:59:59',
      '--time-zone=America/Edmonton',
    ],
  },
  {
    source: 'm-lab/k8s-support k8s/daemonsets/core/kured.jsonnet',
    flags: [
      '--reboot-sentinel=/var/run/mlab-reboot',
      '--reboot-days=mon,tue,wed,thu,fri',
      '--time-zone=America/New_York',
      '--start-time=09:00',
      '--end-time=16:00',
      '--period=10m',
    ],
  },
  {
    source: 'nijave/vmubtkube-a kured.yaml',
    flags: [
      ...CHART,
      '--end-time=08:00',
      '--period=10m',
      '--reboot-days=sa',
      '--reboot-days=su',
      '--start-time=04:00',
      '--time-zone=America/New_York',
    ],
  },
  {
    source: 'hasadna/hasadna-k8s apps/kured/values.yaml',
    flags: [
      ...CHART,
      '--end-time=06:00',
      '--drain-timeout=30m',
      '--prometheus-url=http://monitoring-kube-prometheus-prometheus.monitoring:9090',
      "--reboot-sentinel-command=/bin/sh -c '[ $(cut -d. -f1 /proc/uptime) -ge 2592000 ]'",
      '--start-time=02:00',
      '--time-zone=Asia/Jerusalem',
      '--annotate-nodes=true',
      '--prefer-no-schedule-taint=weave.works/kured-node-reboot',
      '--log-format=json',
      '--concurrency=1',
    ],
  },
  {
    source: 'plcnk/kube-configs values/kured.yaml',
    flags: [
      ...CHART,
      '--lock-ttl=2h',
      '--lock-release-delay=10m',
      '--end-time=18:00',
      '--reboot-days=fr',
      '--reboot-days=sa',
      '--reboot-days=su',
      '--reboot-sentinel=/sentinel/reboot-required',
      '--reboot-delay=60s',
      '--start-time=9:00',
      '--time-zone=Europe/Paris',
      '--annotate-nodes=true',
      '--log-format=text',
      '--concurrency=1',
    ],
    env: [secret('KURED_NOTIFY_URL')],
    sentinel: '/var/run',
  },
  {
    source: 'BarneyLaw/homelab-cicd-config apps/kured/values.yaml',
    flags: [
      ...CHART,
      '--lock-release-delay=5m',
      '--alert-filter-regexp=^(LonghornVolumeFaulted|LonghornVolumeReadOnly|EtcdQuorumLost|KuredBlockLonghornRebuilding|KuredBlockUnexpectedNodeDown)$',
      '--alert-firing-only=true',
      '--alert-filter-match-only=true',
      '--end-time=06:00',
      '--period=5m',
      '--drain-timeout=5m',
      '--prometheus-url=http://kube-prom-kube-prometheus-prometheus.monitoring.svc.cluster.local:9090',
      '--reboot-days=su',
      '--reboot-sentinel-command=/usr/local/sbin/kured-reboot-required',
      '--start-time=02:00',
      '--time-zone=Asia/Singapore',
      '--annotate-nodes=true',
      '--prefer-no-schedule-taint=weave.works/kured-node-reboot',
      '--log-format=text',
      '--concurrency=1',
    ],
  },
  {
    source: 'devopsabcs-engineering/aks-kured-poc k8s/kured-values.yaml',
    flags: [
      ...CHART,
      '--lock-ttl=30m',
      '--lock-release-delay=1m',
      '--end-time=6am',
      '--period=1m',
      '--drain-grace-period=60',
      '--drain-timeout=300s',
      ...['mo', 'tu', 'we', 'th', 'fr'].map((day) => `--reboot-days=${day}`),
      '--start-time=2am',
      '--time-zone=UTC',
      '--annotate-nodes=true',
      '--log-format=text',
      '--concurrency=1',
    ],
  },
  {
    source: 'kenlasko/k8s kured/values.yaml',
    flags: [
      ...CHART,
      '--force-reboot',
      '--drain-timeout=120s',
      '--notify-url=smtp://user:password@smtp.example.com:587/?fromAddress=a@example.com&toAddresses=b@example.com',
    ],
    env: [{ name: 'TZ', value: 'America/Toronto' }],
  },
  {
    source: 'maxmorhardt/k8s kured/values.yaml',
    flags: [
      ...CHART.slice(0, 3),
      '--end-time=04:00',
      '--reboot-days=tue',
      '--reboot-command=/usr/local/bin/pre-reboot.sh',
      '--start-time=02:00',
      '--time-zone=America/New_York',
    ],
    env: [secret('KURED_NOTIFY_URL')],
  },
  {
    source: 'espenhermansen/argotesting kured/kured.yaml',
    flags: [
      ...CHART,
      '--lock-ttl=30m',
      '--end-time=07:59:59',
      '--period=1h',
      '--reboot-days=mo',
      '--reboot-days=tu',
      '--reboot-days=we',
      '--reboot-sentinel=/var/run/reboot-required',
      '--start-time=06:00:00',
      '--time-zone=Europe/Oslo',
    ],
  },
  {
    source: 'bas-slats/k8s-helmfile values/kured.yaml',
    flags: [
      ...CHART,
      '--end-time=6:00',
      '--lock-annotation=weave.works/kured-node-lock',
      '--drain-grace-period=60',
      '--message-template-drain=Draining node %s for reboot',
      '--message-template-reboot=Rebooting node %s',
      '--start-time=2:00',
      '--time-zone=America/Chicago',
    ],
  },
]

/** Its DaemonSet, as the API has it. */
export const daemonSetOf = ({ namespace = 'kube-system', flags, env = [], sentinel }: Omit<RealKured, 'source'>) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kured', namespace },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'kured',
            image: 'ghcr.io/kubereboot/kured:1.20.0',
            command: ['/usr/bin/kured'],
            args: flags,
            env: [{ name: 'KURED_NODE_ID', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }, ...env],
            ...(sentinel === undefined ? {} : { volumeMounts: [{ name: 'sentinel', mountPath: '/sentinel' }] }),
          },
        ],
        ...(sentinel === undefined ? {} : { volumes: [{ name: 'sentinel', hostPath: { path: sentinel } }] }),
      },
    },
  },
})
