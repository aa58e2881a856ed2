"""Types generated from TCLIService.thrift; do not edit."""
