#!/bin/bash
# The same class as in the image that this stands for.
exec java -XX:TieredStopAtLevel=1 -cp '/opt/kafka/libs/*' org.apache.kafka.tools.BrokerApiVersionsCommand "$@"
