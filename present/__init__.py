"""What stages show things with: the web server, charts, pages of reports and of trees."""
