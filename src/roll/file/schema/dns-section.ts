import { section } from './section.ts'
import { switchField } from './switch-field.ts'
import { textField } from './text-field.ts'

const NAME = '[a-z0-9]([a-z0-9-]*[a-z0-9])?'

const namespaceRule = {
  title: 'name',
  pattern: new RegExp(`^${NAME}$`),
  rule: 'lower-case letters, digits and "-"',
  maxLength: 63,
}

export const dnsSection = section(
  {
    check: switchField(
      'Check DNS. Without the check, a node that is back waits only for a Ready endpoint of kube-dns.',
      true,
    ),
    service: textField({
      title: 'namespace/name',
      pattern: new RegExp(`^${NAME}/${NAME}$`),
      rule: 'NAMESPACE/NAME of lower-case letters, digits and "-"',
      description: 'The Service of DNS. By default it is looked up.',
      example: 'kube-system/kube-dns',
    }).exactOptional(),
    zone: textField({
      title: 'domain',
      pattern: new RegExp(`^${NAME}(\\.${NAME})*$`),
      rule: 'lower-case letters, digits, "-" and "."',
      description: 'The cluster domain. By default it is read from the Corefile.',
      example: 'cluster.local',
    }).exactOptional(),
    image: textField({
      title: 'image',
      pattern: /^[A-Za-z0-9][^\s]*$/,
      rule: 'an image as in a pod, without spaces',
      description:
        'The image of evenkeel. With it, the roll also sends queries from nodes, by relays that it starts and deletes again: a node ' +
        'that is back has its own relay. This needs the rights of deploy/roll-dns-rbac.yaml.',
      example: 'registry.example/evenkeel:1.0',
    }).exactOptional(),
    namespace: textField({
      ...namespaceRule,
      description: 'Namespace of the relays. It must exist.',
      example: 'evenkeel',
    }).prefault('evenkeel'),
  },
  'How the cluster DNS is checked. A node is taken out only while DNS is healthy, and put back only once DNS works on it.',
)
